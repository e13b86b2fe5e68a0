import {
  all,
  choose,
  column,
  defineEndpoint,
  is,
  sql,
  text,
  textList,
  timestamp,
  whenGiven,
} from 'querygate';

import { equalTo, groupsByDay, hasValue, keyOf } from './_projections.js';

const onlyWith = (name: string): { description: string } => ({
  description: `Only records with this ${name}.`,
});

const GROUPS = {
  event_id: column('Nullable(String)', 'Event identifier.'),
  event_name: column('Nullable(String)', 'Event name.'),
  city: column('LowCardinality(Nullable(String))', 'City.'),
  country: column('LowCardinality(Nullable(String))', 'Country.'),
  device: column('LowCardinality(Nullable(String))', 'Device.'),
  language: column('LowCardinality(Nullable(String))', 'Language.'),
  referrer: column('Nullable(String)', 'Referrer.'),
  event_type: column('LowCardinality(Nullable(String))', 'Event type.'),
  utm_params: column('Nullable(String)', 'Campaign parameters.'),
};

export default defineEndpoint({
  id: '2b9e4d6f-7c1a-4f0b-8e5d-a1c3b5d7e922',
  name: 'get-grouped-stats-events-logs',
  summary: 'Custom events per day, by event, place, device, language, referrer, type and campaign.',
  tags: ['events'],
  parameters: {
    level: text(onlyWith('level')),
    search_term: text({
      description: 'Only records whose event_message contains this text, in any letter case.',
    }),
    user_id: text(onlyWith('user_id')),
    profile_id: text(onlyWith('profile_id')),
    view_id: text(onlyWith('view_id')),
    event_type: text({
      ...onlyWith('event_type'),
      suggestions: ['view', 'unique_view', 'click', 'unique_click', 'url_redirect'],
    }),
    include_unique: text({
      description:
        'true: event_type view also means unique_view, and click also unique_click. Only true, in lower case, counts; any other text behaves as none.',
      suggestions: ['true'],
    }),
    event_target: text(onlyWith('event_target')),
    event_ids: textList({
      description: 'Only records whose event_id is one of these, separated by commas.',
      set: true,
      verbatim: true,
    }),
    event_name: text(onlyWith('event_name')),
    referrer: text(onlyWith('referrer')),
    city: text(onlyWith('city')),
    country: text(onlyWith('country')),
    device: text(onlyWith('device')),
    language: text(onlyWith('language')),
    utm_params: text(onlyWith('utm_params')),
    start_time: timestamp({
      description: 'Only records at or after this time.',
      subMicrosecond: 'ceil',
      empty: 'problem',
    }),
    end_time: timestamp({ description: 'Only records at or before this time.', empty: 'problem' }),
  },
  columns: {
    group_time: column("DateTime64(0, 'UTC')", 'Record timestamp truncated to the day.'),
    ...GROUPS,
    total_hits: column('UInt64', 'Number of records in the group.'),
  },
  maxRows: 1000,
  caching: 1000,
  warming: 0,
  sandboxing: 'disabled',
  example: { event_type: 'view', include_unique: 'true', country: 'DE' },
  build: (p) => {
    const isAnyView = all(is(p.event_type, 'view'), is(p.include_unique, 'true'));
    const isAnyClick = all(is(p.event_type, 'click'), is(p.include_unique, 'true'));
    const isType = choose(
      [isAnyView, sql`${keyOf('event_type')} IN ('=view', '=unique_view')`],
      [isAnyClick, sql`${keyOf('event_type')} IN ('=click', '=unique_click')`],
      hasValue('event_type', p.event_type),
    );
    return groupsByDay({
      table: 'custom_events',
      groups: GROUPS,
      filters: [
        whenGiven(p.level, sql`level = ${p.level}`),
        whenGiven(
          p.search_term,
          // Nearly all messages are ASCII, which needs no folding of its own: only ASCII letters are there to fold.
          sql`
            if(
              isASCII(event_message),
              positionCaseInsensitive(event_message, caseFoldUTF8(toValidUTF8(${p.search_term}))),
              position(
                caseFoldUTF8(toValidUTF8(event_message)),
                caseFoldUTF8(toValidUTF8(${p.search_term})))) > 0`,
        ),
        whenGiven(p.user_id, sql`user_id = ${p.user_id}`),
        whenGiven(p.profile_id, sql`profile_id = ${p.profile_id}`),
        whenGiven(p.view_id, sql`view_id = ${p.view_id}`),
        whenGiven(p.event_target, sql`event_target = ${p.event_target}`),
        whenGiven(p.event_type, isType),
        // ClickHouse runs a subquery first and looks its values up in the primary key. Without the subquery it would
        // test every row.
        whenGiven(p.event_ids, sql`${keyOf('event_id')} IN (SELECT concat('=', arrayJoin(${p.event_ids})))`),
        ...equalTo({
          event_name: p.event_name,
          referrer: p.referrer,
          city: p.city,
          country: p.country,
          device: p.device,
          language: p.language,
          utm_params: p.utm_params,
        }),
      ],
      range: { start: p.start_time, end: p.end_time },
    });
  },
});
