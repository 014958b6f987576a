/** The conformance suite that every messenger passes. */
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readerOfBytes } from '../../src/content/media/boxes.ts';
import type {
  Destination,
  Messenger,
  MessengerSession,
  PostChange,
  PostMedia,
  SendResult,
  SessionState,
} from '../../src/messengers/messenger.ts';
import { until } from './ledger.ts';
import type { AccountId, WorkspaceId } from '../../src/platform/database/schema.ts';

/** A messenger with an account to link, and a view of its chats as members see them. */
export interface Conforming {
  messenger: Messenger;
  account: { accountId: AccountId; workspaceId: WorkspaceId; phoneNumber: string };
  /** Confirms the linking on the phone. */
  agree(state: SessionState & { status: 'linking' }): Promise<void>;
  /** Phone numbers of possible members. */
  people: string[];
  /** Returns all posts that a member of the chat has been shown, oldest first. */
  shown(chatId: string): Promise<string[]>;
  /** Returns the posts that a member of the chat sees now, after deletions and edits, oldest first. */
  seenNow(chatId: string): Promise<string[]>;
  /** Returns the captions of the files that a member of the chat sees now, oldest first. */
  filesIn(chatId: string): Promise<string[]>;
  stop(): Promise<void>;
}

const to = (chatId: string, uncertain = false): Destination => ({
  chatId,
  messageId: `3EB0${randomBytes(9).toString('hex').toUpperCase()}`,
  uncertain,
  resend: false,
});
const always = () => true;

export function expectMessenger(name: string, start: () => Promise<Conforming>): void {
  describe(`conformance of a messenger: ${name}`, () => {
    let here: Conforming;
    let session: MessengerSession;
    const told: SessionState[] = [];
    const send = (text: string, to: Destination[]): Promise<SendResult[]> =>
      session.send({ text, media: null }, to, always);
    const hear = (state: SessionState) => {
      told.push(state);
      if (state.status === 'linking') void here.agree(state);
    };

    beforeAll(async () => {
      here = await start();
      session = await here.messenger.link(here.account, 'qr', hear);
      await until(
        () => told,
        (states) => states.at(-1)?.status === 'connected',
      );
    });
    afterAll(async () => {
      await session.close();
      await here.stop();
    });

    test('links immediately, or with a phone, according to `linksAtOnce`', () => {
      expect(told[0]?.status).toBe(here.messenger.linksAtOnce ? 'connected' : 'linking');
    });

    test('neither sends nor changes a post once `mayGoOn` is false', async () => {
      const group = await session.createGroup({ name: 'Held', participants: here.people });
      const held = to(group.sendTo);
      await send('held', [held]);
      const lost = () => false;
      expect(await session.send({ text: 'lost', media: null }, [to(group.sendTo)], lost)).toMatchObject([
        { kind: 'offline' },
      ]);
      expect(await session.revise?.({ kind: 'recall' }, [held], lost)).toMatchObject([{ kind: 'offline' }]);
      expect(await here.seenNow(group.sendTo)).toEqual(['held']);
    });

    test('calls `mayGoOn` before each post if `sendsOneByOne` is set', async () => {
      const group = await session.createGroup({ name: 'One by one', participants: here.people });
      const chats = [to(group.sendTo), to(group.sendTo), to(group.sendTo)];
      let asked = 0;
      await session.send({ text: 'alone', media: null }, chats, () => ++asked > 0);
      expect(asked).toBeGreaterThanOrEqual(here.messenger.sendsOneByOne ? chats.length : 1);
    });

    test('edits and deletes sent posts idempotently, if it has `changeWindows`', async () => {
      expect(session.revise !== undefined).toBe(here.messenger.changeWindows !== undefined);
      const group = await session.createGroup({ name: 'Changing', participants: here.people });
      const channel = await session.createChannel({ name: 'Changing', description: '', picture: null });
      const posts = [to(group.sendTo), to(channel.sendTo)];
      await send('first', posts);
      const change = async (what: PostChange) => (await session.revise?.(what, posts, always))?.map(({ kind }) => kind);
      const seen = () => Promise.all(posts.map(({ chatId }) => here.seenNow(chatId)));
      const correction: PostChange = { kind: 'correct', post: { text: 'second', media: null } };
      expect(await change(correction)).toEqual(['done', 'done']);
      expect(await change(correction)).toEqual(['done', 'done']);
      expect(await seen()).toEqual([['second'], ['second']]);
      expect(await change({ kind: 'recall' })).toEqual(['done', 'done']);
      expect(await seen()).toEqual([[], []]);
      // A messenger may report that the post no longer exists.
      expect(await change({ kind: 'recall' })).toEqual(['done', expect.stringMatching(/^(done|absent)$/)]);
    });

    test('creates groups, communities and channels, and lists them unchanged', async () => {
      const group = await session.createGroup({ name: 'Chess', participants: here.people });
      const community = await session.createCommunity({ name: 'Old town', description: 'Neighbours' });
      const channel = await session.createChannel({ name: 'News', description: 'Weekly', picture: null });
      expect(group).toMatchObject({
        kind: 'group',
        name: 'Chess',
        participants: here.people.length + 1,
        canSend: true,
        isAdmin: true,
      });
      expect(group.chatId).toMatch(/^\d+@g\.us$/);
      expect(group.sendTo).toBe(group.chatId);
      expect(group.inviteLink).toMatch(/^https:\/\/chat\.whatsapp\.com\/[\w-]+$/);
      expect(community).toMatchObject({ kind: 'community', name: 'Old town', canSend: true, isAdmin: true });
      expect(community.sendTo).toMatch(/^\d+@g\.us$/);
      expect(community.sendTo).not.toBe(community.chatId);
      expect(channel).toMatchObject({ kind: 'channel', name: 'News', canSend: true, isAdmin: true });
      expect(channel.sendTo).toBe(channel.chatId);
      expect(channel.chatId).toMatch(/^\d+@newsletter$/);
      expect(channel.inviteLink).toMatch(/^https:\/\/whatsapp\.com\/channel\/[\w-]+$/);
      const { chats: listed } = await session.listGroups([]);
      for (const created of [group, community, channel]) {
        expect(Math.abs(created.createdAt.getTime() - Date.now())).toBeLessThan(60_000);
        const { inviteLink: _link, createdAt: _at, ...listable } = created;
        const lasting = Object.fromEntries(Object.entries(listable).filter(([name]) => name !== 'notAdded'));
        expect(listed.find(({ chatId }) => chatId === created.chatId)).toMatchObject(lasting);
      }
      // The announcement group cannot be chosen as a target.
      expect(listed.map(({ chatId }) => chatId)).not.toContain(community.sendTo);
    });

    test('shows posts to the members of groups, communities and channels, in order', async () => {
      const group = await session.createGroup({ name: 'Running', participants: here.people });
      const community = await session.createCommunity({ name: 'Village', description: '' });
      const channel = await session.createChannel({ name: 'Bells', description: '', picture: null });
      const chats = [group.sendTo, community.sendTo, channel.sendTo];
      const first = await send(
        '*one*',
        chats.map((chat) => to(chat)),
      );
      expect(first.map(({ kind }) => kind)).toEqual(['sent', 'sent', 'sent']);
      expect(first[0]).toEqual({ kind: 'sent', recipients: here.people.length });
      await send(
        'two',
        chats.map((chat) => to(chat)),
      );
      for (const chat of chats) expect(await here.shown(chat)).toEqual(['*one*', 'two']);
    });

    test('shows a post repeated under its id once', async () => {
      const group = await session.createGroup({ name: 'Repeats', participants: here.people });
      const once = to(group.sendTo);
      await send('once', [once]);
      const again = await send('once', [{ ...once, uncertain: true }]);
      expect(again).toEqual([{ kind: 'sent', recipients: here.people.length }]);
      expect(await here.shown(group.sendTo)).toEqual(['once']);
    });

    test('does not repeat a post in a channel that already has it', async () => {
      const channel = await session.createChannel({ name: 'Certain', description: '', picture: null });
      const once = to(channel.sendTo);
      await send('once', [once]);
      expect(await send('once', [{ ...once, uncertain: true }])).toMatchObject([{ kind: 'sent' }]);
      expect(await here.shown(channel.sendTo)).toEqual(['once']);
    });

    test('rejects a post to a missing chat as final, and sends the others', async () => {
      const group = await session.createGroup({ name: 'Beside', participants: here.people });
      const chats = ['120363999999999999@g.us', group.sendTo, '120363999999999999@newsletter'];
      const results = await send(
        'hello',
        chats.map((chat) => to(chat)),
      );
      expect(results).toMatchObject([
        { kind: 'refused', final: true, reason: expect.stringMatching(/\w/) },
        { kind: 'sent' },
        { kind: 'refused', final: true, reason: expect.stringMatching(/\w/) },
      ]);
      expect(await here.shown(group.sendTo)).toEqual(['hello']);
    });

    test('sends texts unchanged', async () => {
      const group = await session.createGroup({ name: 'Texts', participants: here.people });
      const texts = ['a\n\n- b', '👩‍👩‍👧 *b* _i_', `${'x'.repeat(65_000)}end`, '\u200Bשלום ~s~'];
      for (const text of texts) expect(await send(text, [to(group.sendTo)])).toMatchObject([{ kind: 'sent' }]);
      expect(await here.shown(group.sendTo)).toEqual(texts);
    });

    test('shows a file with its text, and loads it at most once for each form', async () => {
      const group = await session.createGroup({ name: 'Files', participants: here.people });
      const other = await session.createGroup({ name: 'More files', participants: here.people });
      const channel = await session.createChannel({ name: 'Bells and files', description: '', picture: null });
      const bytes = Buffer.from('%PDF-1.7\n%%EOF\n');
      let loaded = 0;
      const media = {
        mime: 'application/pdf',
        size: bytes.length,
        sha256: createHash('sha256').update(bytes).digest(),
        fileName: 'bells.pdf',
        load: () => Promise.resolve((loaded += 1)).then(() => bytes),
        async *pieces() {
          loaded += 1;
          yield bytes;
        },
        read: readerOfBytes(bytes),
      };
      const chats = [group, other, channel].map(({ sendTo }) => sendTo);
      const results = await session.send(
        { text: 'with a file', media },
        chats.map((chat) => to(chat)),
        always,
      );
      expect(results.map(({ kind }) => kind)).toEqual(['sent', 'sent', 'sent']);
      for (const chat of chats) expect(await here.shown(chat)).toEqual(['with a file']);
      // Channels may need the file in another form, and an encrypted one is read for its hash, too.
      expect(loaded).toBeLessThanOrEqual(3);
    });

    test('shows all files of a post once, however often it is tried, and takes all of them away', async () => {
      const group = await session.createGroup({ name: 'Album', participants: here.people });
      const channel = await session.createChannel({ name: 'Bells and albums', description: '', picture: null });
      const file = (name: string, caption?: string): PostMedia => {
        const bytes = Buffer.from(`%PDF-1.7\n%${name}\n%%EOF\n`);
        const sha256 = createHash('sha256').update(bytes).digest();
        return {
          mime: 'application/pdf',
          size: bytes.length,
          sha256,
          fileName: `${name}.pdf`,
          caption,
          load: () => Promise.resolve(bytes),
          async *pieces() {
            yield bytes;
          },
          read: readerOfBytes(bytes),
        };
      };
      const post = { text: 'three files', media: file('one'), further: [file('two', 'the second'), file('three')] };
      const chats = [to(group.sendTo), to(channel.sendTo)];
      for (const again of [false, true])
        for (const destination of chats) {
          const [result] = await session.send(post, [{ ...destination, uncertain: again }], always);
          expect(result?.kind).toBe('sent');
        }
      for (const { chatId } of chats) expect(await here.filesIn(chatId)).toEqual(['three files', 'the second', '']);
      const results = await session.revise?.({ kind: 'recall' }, chats, always);
      expect(results).toEqual([{ kind: 'done' }, { kind: 'done' }]);
      for (const { chatId } of chats) expect(await here.filesIn(chatId)).toEqual([]);
    });

    test('sends nothing while a file cannot be read, and sends it once that is possible', async () => {
      const group = await session.createGroup({ name: 'Unread', participants: here.people });
      const bytes = Buffer.from('%PDF-1.4\n%%EOF\n');
      let isReadable = false;
      const load = () => (isReadable ? Promise.resolve(bytes) : Promise.reject(new Error('the database is slow')));
      const media = {
        mime: 'application/pdf',
        size: bytes.length,
        sha256: createHash('sha256').update(bytes).digest(),
        fileName: 'unread.pdf',
        load,
        async *pieces() {
          yield await load();
        },
        read: readerOfBytes(bytes),
      };
      const chats = [to(group.sendTo), to(group.sendTo)];
      const trySending = async () =>
        (await session.send({ text: 'read', media }, chats, always)).map(({ kind }) => kind);
      expect(await trySending()).toEqual(['offline', 'offline']);
      expect(await here.shown(group.sendTo)).toEqual([]);
      isReadable = true;
      expect(await trySending()).toEqual(['sent', 'sent']);
      expect(await here.shown(group.sendTo)).toEqual(['read', 'read']);
    });

    test('reopens a closed session with its chats', async () => {
      const group = await session.createGroup({ name: 'Lasting', participants: here.people });
      await session.close();
      await session.ended;
      const opened = await here.messenger.open(here.account, hear);
      if (!opened) throw new Error('the account is not linked any more');
      session = opened;
      const result = await until(
        async () => (await send('again', [to(group.sendTo)]))[0],
        (found) => found?.kind !== 'offline',
      );
      expect(result).toEqual({ kind: 'sent', recipients: here.people.length });
      expect(await here.shown(group.sendTo)).toEqual(['again']);
    });

    test('forgets the account of a deleted user', async () => {
      await session.close();
      await until(() => here.messenger.forget(here.account.accountId), false);
      const states: string[] = [];
      const opened = await here.messenger.open(here.account, ({ status }) => states.push(status));
      await opened?.close();
      expect(states).toEqual(here.messenger.staysOpen ? ['unlinked'] : []);
    });
  });
}
