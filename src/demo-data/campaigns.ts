import type { Shared } from './draws.js';

interface DemoEvent extends Shared {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  /** Type of a visitor's first such event, where it has one of its own. */
  readonly uniqueType?: string;
  readonly target: string;
  readonly profile: string;
  readonly campaign: string;
}

const view = { type: 'view', uniqueType: 'unique_view' };
const click = { type: 'click', uniqueType: 'unique_click' };
const redirect = { type: 'url_redirect' };

const spring = { campaign: 'spring-sale', profile: 'profile-aurora' };
const summer = { campaign: 'été-à-paris', profile: 'profile-aurora' };
const launch = { campaign: 'app-launch', profile: 'profile-cobalt' };
const webinar = { campaign: 'webinar', profile: 'profile-basalt' };

/** What can be seen, clicked and followed; an id and a name belong together for good. */
export const EVENTS: readonly DemoEvent[] = [
  {
    ...view,
    ...spring,
    share: 26,
    id: 'evt-101',
    name: 'Spring sale',
    target: 'https://aurora.example/spring',
  },
  { ...view, ...summer, share: 12, id: 'evt-102', name: 'Été à Paris', target: 'https://aurora.example/ete' },
  { ...view, ...launch, share: 10, id: 'evt-103', name: 'App launch', target: 'https://cobalt.example/app' },
  { ...view, ...webinar, share: 4, id: 'evt-104', name: 'Webinar', target: 'https://basalt.example/webinar' },
  { ...click, ...spring, share: 12, id: 'evt-201', name: 'Add to cart', target: 'button#add-to-cart' },
  { ...click, ...launch, share: 6, id: 'evt-202', name: 'Get the app', target: 'a#store-badge' },
  { ...click, ...webinar, share: 3, id: 'evt-203', name: 'Save my seat', target: 'button#register' },
  {
    ...redirect,
    ...spring,
    share: 13,
    id: 'evt-301',
    name: 'go/spring',
    target: 'https://aurora.example/spring',
  },
  { ...redirect, ...launch, share: 8, id: 'evt-302', name: 'go/app', target: 'https://cobalt.example/app' },
  {
    ...redirect,
    ...webinar,
    share: 4,
    id: 'evt-303',
    name: 'go/webinar',
    target: 'https://basalt.example/webinar',
  },
  {
    type: 'purchase',
    ...spring,
    share: 2,
    id: 'evt-401',
    name: 'Order placed',
    target: 'https://aurora.example/thanks',
  },
];

interface Channel extends Shared {
  readonly referrer: string | null;
  /** Null: the visitor came without a campaign's link. */
  readonly source: string | null;
  readonly medium: string;
}

/** How visitors come: where from, and by which link of the campaign. */
export const CHANNELS: readonly Channel[] = [
  { share: 30, referrer: null, source: null, medium: '' },
  { share: 22, referrer: 'www.google.com', source: null, medium: '' },
  { share: 20, referrer: null, source: 'newsletter', medium: 'email' },
  { share: 12, referrer: 'www.instagram.com', source: 'instagram', medium: 'social' },
  { share: 10, referrer: 'www.google.com', source: 'google', medium: 'cpc' },
  { share: 6, referrer: 'blog.example.org', source: 'partner', medium: 'referral' },
];

interface Place extends Shared {
  readonly country: string | null;
  readonly city: string | null;
  readonly language: string | null;
}

/** Where visitors are; of some the city, of a few nothing is known. */
export const PLACES: readonly Place[] = [
  { share: 14, country: 'DE', city: 'Berlin', language: 'de' },
  { share: 7, country: 'DE', city: 'München', language: 'de' },
  { share: 4, country: 'DE', city: 'Hamburg', language: 'de' },
  { share: 3, country: 'DE', city: null, language: 'de' },
  { share: 10, country: 'US', city: 'New York', language: 'en' },
  { share: 6, country: 'US', city: 'San Francisco', language: 'en' },
  { share: 4, country: 'US', city: 'Austin', language: 'en' },
  { share: 9, country: 'GB', city: 'London', language: 'en' },
  { share: 3, country: 'GB', city: 'Manchester', language: 'en' },
  { share: 8, country: 'FR', city: 'Paris', language: 'fr' },
  { share: 3, country: 'FR', city: 'Lyon', language: 'fr' },
  { share: 4, country: 'CH', city: 'Zürich', language: 'de' },
  { share: 2, country: 'CH', city: 'Genève', language: 'fr' },
  { share: 5, country: 'IN', city: 'Bengaluru', language: 'en' },
  { share: 4, country: 'BR', city: 'São Paulo', language: 'pt' },
  { share: 4, country: 'JP', city: 'Tokyo', language: 'ja' },
  { share: 3, country: 'UA', city: 'Kyiv', language: 'uk' },
  { share: 3, country: 'SE', city: 'Stockholm', language: 'sv' },
  { share: 2, country: 'AU', city: 'Sydney', language: 'en' },
  { share: 2, country: null, city: null, language: null },
];
