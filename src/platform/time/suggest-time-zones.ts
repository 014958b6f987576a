/** Returns the zones that were probably meant by a name that is no time zone. */
import { findNearest } from '../errors/find-nearest.ts';
import { isTimeZone, listTimeZones } from './time-zone.ts';

/**
 * Abbreviations that people write, with the zones they can stand for, most people first. What `Temporal` knows (`EST`, `CET`, `GMT`) is not
 * here.
 */
export const MEANINGS: Readonly<Record<string, readonly string[]>> = {
  ACDT: ['Australia/Adelaide'],
  ACST: ['Australia/Adelaide', 'Australia/Darwin'],
  ACT: ['Australia/Sydney', 'America/Rio_Branco'],
  ADT: ['America/Halifax'],
  AEDT: ['Australia/Sydney'],
  AEST: ['Australia/Sydney', 'Australia/Brisbane'],
  AKDT: ['America/Anchorage'],
  AKST: ['America/Anchorage'],
  ART: ['America/Argentina/Buenos_Aires', 'Africa/Cairo'],
  AST: ['America/Halifax', 'America/Puerto_Rico', 'Asia/Riyadh'],
  AWST: ['Australia/Perth'],
  BRT: ['America/Sao_Paulo'],
  BST: ['Europe/London', 'Asia/Dhaka'],
  CAT: ['Africa/Maputo', 'Africa/Johannesburg'],
  CDT: ['America/Chicago', 'America/Havana'],
  CEST: ['Europe/Berlin', 'Europe/Paris'],
  CLT: ['America/Santiago'],
  COT: ['America/Bogota'],
  CST: ['America/Chicago', 'America/Mexico_City', 'Asia/Shanghai'],
  EAT: ['Africa/Nairobi'],
  ECT: ['Europe/Paris', 'America/Guayaquil'],
  EDT: ['America/New_York'],
  EEST: ['Europe/Athens', 'Europe/Kyiv'],
  ET: ['America/New_York'],
  GST: ['Asia/Dubai'],
  HKT: ['Asia/Hong_Kong'],
  ICT: ['Asia/Bangkok', 'Asia/Ho_Chi_Minh'],
  IDT: ['Asia/Jerusalem'],
  IRST: ['Asia/Tehran'],
  IST: ['Asia/Kolkata', 'Europe/Dublin', 'Asia/Jerusalem'],
  JST: ['Asia/Tokyo'],
  KST: ['Asia/Seoul'],
  MDT: ['America/Denver'],
  MESZ: ['Europe/Berlin', 'Europe/Vienna', 'Europe/Zurich'],
  MEZ: ['Europe/Berlin', 'Europe/Vienna', 'Europe/Zurich'],
  MSK: ['Europe/Moscow'],
  MYT: ['Asia/Kuala_Lumpur'],
  NDT: ['America/St_Johns'],
  NPT: ['Asia/Kathmandu'],
  NST: ['America/St_Johns', 'Pacific/Auckland'],
  NZDT: ['Pacific/Auckland'],
  NZST: ['Pacific/Auckland'],
  PDT: ['America/Los_Angeles'],
  PET: ['America/Lima'],
  PHT: ['Asia/Manila'],
  PKT: ['Asia/Karachi'],
  PST: ['America/Los_Angeles', 'Asia/Manila'],
  PT: ['America/Los_Angeles'],
  SAST: ['Africa/Johannesburg'],
  SGT: ['Asia/Singapore'],
  SST: ['Pacific/Pago_Pago', 'Pacific/Guadalcanal', 'Asia/Singapore'],
  TRT: ['Europe/Istanbul'],
  WAT: ['Africa/Lagos'],
  WEST: ['Europe/Lisbon'],
  WIB: ['Asia/Jakarta'],
  WIT: ['Asia/Jayapura'],
  WITA: ['Asia/Makassar'],
  Z: ['UTC'],
  'US/PACIFIC-NEW': ['America/Los_Angeles'],
};

/** Current names of zones that `Intl.supportedValuesOf` lists by their former names only. */
const CURRENT_NAMES = [
  'America/Argentina/Buenos_Aires',
  'America/Indiana/Indianapolis',
  'America/Nuuk',
  'Asia/Ho_Chi_Minh',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Yangon',
  'Atlantic/Faroe',
  'Europe/Kyiv',
];

let known: readonly string[] | undefined;
const OFFSET = /^(UTC|GMT)?[+-]\d/i;
const list = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** Returns what a time zone has to be, for "must be …", with the zones that `name` was probably meant to be. */
export function describeTimeZone(name: string): string {
  const zone = 'an IANA time zone such as Europe/Berlin';
  if (OFFSET.test(name)) return `${zone}, not an offset, which has no clock changes`;
  const meant = suggestTimeZones(name);
  return meant.length === 0 ? zone : `${zone}; did you mean ${list.format(meant)}?`;
}

function suggestTimeZones(name: string): readonly string[] {
  const meanings = MEANINGS[name.toUpperCase()];
  if (meanings) return meanings.filter(isTimeZone);
  known ??= [...CURRENT_NAMES.filter(isTimeZone), ...listTimeZones()];
  const nearest = findNearest(name, known) ?? findByCity(name, known);
  return nearest === undefined ? [] : [nearest];
}

/** `Berlin`, `Europe/New York`. */
function findByCity(name: string, known: readonly string[]): string | undefined {
  const cityOf = (zone: string) => zone.slice(zone.lastIndexOf('/') + 1).toLowerCase();
  const city = cityOf(name).replaceAll(' ', '_');
  return known.find((zone) => cityOf(zone) === city);
}
