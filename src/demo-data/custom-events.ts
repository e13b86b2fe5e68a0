import { CHANNELS, EVENTS, PLACES } from './campaigns.js';
import { draw, drawHex, drawPosition, literals, RECORD_ID, type Value } from './draws.js';
import { jsonText } from './json-text.js';
import { traffic } from './traffic.js';
import { DEVICE, VISITOR } from './visitors.js';

type Event = (typeof EVENTS)[number];
type Channel = (typeof CHANNELS)[number];
type Place = (typeof PLACES)[number];

const ofEvent = (property: (event: Event) => Value): string => `${literals(EVENTS.map(property))}[event]`;
const ofChannel = (property: (channel: Channel) => Value): string =>
  `${literals(CHANNELS.map(property))}[channel]`;
const ofPlace = (property: (place: Place) => Value): string => `${literals(PLACES.map(property))}[place]`;

const UTM_PARAMS = jsonText({
  utm_source: 'assumeNotNull(source)',
  utm_medium: ofChannel(({ medium }) => medium),
  utm_campaign: ofEvent(({ campaign }) => campaign),
});

const METADATA = jsonText({
  session_id: 'session_id',
  request: { headers: { user_agent: 'user_agent', cf_connecting_ip: 'ip' } },
});

/** SQL that fills the custom events log. A visitor stays in a place and keeps the device; four in ten are signed in. */
export const FILL_CUSTOM_EVENTS = `
INSERT INTO custom_events
  (id, timestamp, event_message, metadata, level, user_id, profile_id, view_id, event_type, event_target, event_id,
   event_name, referrer, city, country, device, language, utm_params)
WITH ${VISITOR},
  ${drawPosition(EVENTS, 'event')} AS event,
  ${drawPosition(CHANNELS, 'channel')} AS channel,
  ${drawPosition(PLACES, 'place', 'visitor')} AS place,
  ${ofChannel(({ source }) => source)} AS source,
  ${drawHex('session', 'visitor')} AS session_id,
  ${ofEvent(({ name }) => name)} AS event_name,
  ${ofEvent(({ target }) => target)} AS event_target,
  if(${draw('first time')} < 0.3,
     ${ofEvent(({ type, uniqueType = type }) => uniqueType)},
     ${ofEvent(({ type }) => type)}) AS event_type
SELECT
  ${RECORD_ID},
  timestamp,
  concat(event_type, ' ', event_name, ' ', event_target),
  ${METADATA},
  if(${draw('level')} < 0.98, 'info', 'warning'),
  if(${draw('signed in', 'visitor')} < 0.4, concat('user-', toString(visitor)), NULL),
  ${ofEvent(({ profile }) => profile)},
  if(event_type = 'url_redirect', NULL, ${drawHex('view')}),
  event_type,
  event_target,
  ${ofEvent(({ id }) => id)},
  event_name,
  ${ofChannel(({ referrer }) => referrer)},
  ${ofPlace(({ city }) => city)},
  ${ofPlace(({ country }) => country)},
  ${DEVICE},
  if(${draw('language', 'visitor')} < 0.85, ${ofPlace(({ language }) => language)}, 'en'),
  if(isNull(source), NULL, ${UTM_PARAMS})
FROM ${traffic('custom_events', { recent: 130_000 })}`;
