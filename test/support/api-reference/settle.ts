import type { Example } from './recorder.ts';

/** The days that the examples show: 1 March 2027 is a Monday. */
const TODAY = Temporal.PlainDate.from('2027-03-01');
const FIRST_MONDAY = Temporal.PlainDate.from('2027-03-08');
const NOW = `${TODAY}T09:00:00.000Z`;
const RECEIPTS = { delivered: 12, read: 9, reactions: 2, replies: 1, delivery_rate: 1, read_rate: 0.75 };

const INVITATION_CODE = 'T0wKq81yRzLd5eC2FVsBQIhrscChlQIMVb5sSYspobX';
const LINK_TOKEN = 'q3Vd0mBZk1yRzLd5eC2FVsBQIhrscChlQIMVb5sSYsp';

/** Values that differ with each run, by the name of their field. */
const PLACEHOLDERS: Readonly<Record<string, unknown>> = {
  token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.4pXw9dQe7sQ2',
  key: 'cmp_Xq7dT0wKq81yRzLd5e',
  prefix: 'cmp_Xq7d',
  push_public_key: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  recovery_codes: ['7kq2-9xwd-4mzt-p3fh-6rvn-8ycj', '…', 'zg3t-dj9p-w5kn-2hqx-c7vm-f4rb'],
  milliseconds: 12,
  agent: 'curl/8.5.0',
  address: '203.0.113.7',
  cursor: 'djE6Mjc',
  next_cursor: 'djE6Mjc',
  createdAtTs: 1_803_891_600,
  inviteLink: 'https://whatsapp.com/channel/0029Va4K1Ig2JtZQ',
  invite_link: 'https://chat.whatsapp.com/CkN7Tq3yWvR5xZ1b',
  at: NOW,
  examined_at: NOW,
  timeline: [{ at: NOW, sent: 1, delivered: RECEIPTS.delivered, read: RECEIPTS.read }],
};

/** Of a post whose plan depends on the day. */
const POST_HASH = 'f23ae7e36aade639988747de9dfe0c07daecddd649aea8e7c068bd1e331d8263';
const APPROVALS = [
  'request-approval',
  'list-approvals',
  'get-approval',
  'decide-approval',
  'remark-approval',
  'withdraw-approval',
];

/** The same, for fields of one operation. */
const PLACEHOLDERS_OF: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'create-webhook': { secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDFZXy1bT0wKq=' },
  'rotate-webhook-secret': { secret: 'whsec_T0wKq81yRzLd5eC2FVsBQIhrscChlQIMV+b5sSYspob=' },
  'submit-passkey': {
    id: 'wEYMrS4NJYHz',
    rawId: 'wEYMrS4NJYHz',
    clientDataJSON: 'eyJ0eXBlIjoi…',
    authenticatorData: '6GiQbHMCCZZu…',
    signature: 'MEUCIQDf0wEY…',
  },
  // Sandbox members vote at random.
  'get-poll-results': {
    voters: 9,
    unreadable: 0,
    votes: [6, 3],
    timeline: [{ at: NOW, voters: 9, unreadable: 0, votes: [6, 3] }],
  },
  'share-report': { token: LINK_TOKEN, path: `/shared-report#${LINK_TOKEN}` },
  'get-shared-report': { token: LINK_TOKEN },
  'share-calendar': { path: `/calendar-feed/${LINK_TOKEN}.ics` },
  ...Object.fromEntries(APPROVALS.map((name) => [name, { sha256: POST_HASH }])),
  add_totp: {
    secret: 'JBSWY3DPEHPK3PXP',
    uri: 'otpauth://totp/Campanile:ada?issuer=Campanile&secret=JBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
  },
  confirm_totp: { code: '492039' },
  verify_email: { code: 'Nk2bEpKTyqWmf9mSQOXE6HmzMxpPuQ5y' },
  reset_password: { code: 'Ssvh8fOKTAqXcfIyj6iMNVvDJJQyIoDM' },
  accept_invite: { code: 'BFFkLuLPStiV7VPkaTJE392vAHWMw6Pb' },
  'invite-member': { code: INVITATION_CODE },
  'accept-invitation': { code: INVITATION_CODE },
  'get-invitation': { code: INVITATION_CODE },
  list_sessions: { expires_at: `${TODAY.add({ days: 1 })}T09:00:00.000Z` },
  'list-messages': { message_id: '3EB06B49F3A878491279B2' },
  get_installation: { findings: [{ check: 'hold', level: 'ok', message: 'The ledger is not held', advice: null }] },
};

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;
const DATE_OR_INSTANT = /\b(20\d\d-\d\d-\d\d)(T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?/g;
const CHAT_NUMBER = /\b120363\d{12}\b/g;
/** Votes, voters and unreadable votes of a row in the CSV file of a poll. */
const CSV_VOTES = /(?<=,(Saturday|Sunday),)\d+,\d+,\d+/g;
/** The counts of the one row of a campaign's CSV file. */
const CSV_COUNTS = /(?<=,12,)\d+,\d+,\d+,\d+,,[\d.]+,[\d.]+(?=,)/;

/** The same of a report's. */
const CSV_REPORT_COUNTS = /(?<=,12,)\d+,\d+,\d+,\d+,,[\d.]+(?=,20\d\d-)/;

export interface SceneFacts {
  /** The day on which the scene ran. */
  today: Temporal.PlainDate;
  firstMonday: Temporal.PlainDate;
  receiverUrl: string;
  fileUrl: string;
  siteUrl: string;
}

/** Returns the examples with everything replaced that differs from one run of the scene to the next: ids, instants, secrets, receipts. */
export function settleExamples(examples: ReadonlyMap<string, Example>, facts: SceneFacts): Map<string, Example> {
  const settleString = createStringSettler(facts);
  return new Map([...examples].map(([name, example]) => [name, settleValue(example, '', name)] as [string, Example]));

  function settleValue(value: unknown, field: string, operation: string): unknown {
    if (value === null) return null;
    const placeholder = PLACEHOLDERS_OF[operation]?.[field] ?? PLACEHOLDERS[field];
    if (typeof placeholder === typeof value) return placeholder;
    if (typeof value === 'string') return settleString(value);
    if (Array.isArray(value)) return value.map((one) => settleValue(one, '', operation));
    if (typeof value !== 'object') return value;
    const settled = Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, settleValue(one, key, operation)]),
    );
    return Number(settled['recipients'] ?? settled['sent']) > 0 ? withReceipts(settled) : settled;
  }
}

/** Sandbox members send receipts at random. */
function withReceipts(counts: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(counts).map(([field, value]) => [
      field,
      field in RECEIPTS ? RECEIPTS[field as keyof typeof RECEIPTS] : value,
    ]),
  );
}

function createStringSettler({ today, firstMonday, ...urls }: SceneFacts): (text: string) => string {
  const { receiverUrl, siteUrl, fileUrl } = urls;
  const uuids = new Map<string, string>();
  const settleUuid = (uuid: string) => {
    const known = uuids.get(uuid) ?? `5f0c2c5e-0f3c-4d6b-9a55-${(uuids.size + 1).toString(16).padStart(12, '0')}`;
    uuids.set(uuid, known);
    return known;
  };
  /** Instants before the schedule of the scene are from its run. */
  const settleInstant = (_: string, day: string, time?: string) => {
    const date = Temporal.PlainDate.from(day);
    if (Temporal.PlainDate.compare(date, firstMonday) >= 0)
      return `${FIRST_MONDAY.add(firstMonday.until(date))}${time ?? ''}`;
    return `${TODAY.add(today.until(date))}${time === undefined ? '' : 'T09:00:00.000Z'}`;
  };
  return (text) =>
    text
      .replaceAll(fileUrl, 'https://files.example.com/poster.png')
      .replaceAll(receiverUrl, 'https://hooks.example.com/campanile')
      .replaceAll(siteUrl, 'https://example.com')
      .replaceAll(UUID, settleUuid)
      .replaceAll(DATE_OR_INSTANT, settleInstant)
      .replaceAll(CHAT_NUMBER, '120363025246125486')
      .replaceAll(CSV_VOTES, (_, option: string) => `${option === 'Saturday' ? 6 : 3},9,0`)
      .replace(CSV_COUNTS, '12,9,2,1,,1,0.75')
      .replace(CSV_REPORT_COUNTS, '12,9,2,1,,0.75');
}
