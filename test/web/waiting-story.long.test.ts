/** A post that waits is explained by the same words to its manager, its author and the operator, wherever they look. */
import { readFile } from 'node:fs/promises';
import { join as joinPath } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { execute, readValue } from '../../src/platform/database/statements.ts';
import { recordWaits } from '../../src/sending/senders/watch-waits.ts';
import type { Person } from '../support/app.ts';
import { EVERY_SHARD } from '../support/begin-runs.ts';
import { launchBrowser, visit } from '../support/browser/browser.ts';
import { findBarriers } from '../support/browser/dashboard-page.ts';
import { signInInBrowser, writeMessage } from '../support/browser/dashboard-user.ts';
import { lookEverywhere } from '../support/browser/looks.ts';
import { until } from '../support/ledger.ts';
import { startMailServer } from '../support/servers/mail-server.ts';
import { callIn, join } from '../support/team.ts';
import { statusWhen } from '../support/whatsapp.ts';
import { setWhatsAppScene } from '../support/whatsapp-scene.ts';
import type { Person as Phone } from '../../harness/whatsapp-peer/world.ts';

const browser = await launchBrowser();
const mails = await startMailServer();
const METRICS_TOKEN = 'the token of the metrics';
const GAP = { minMs: 120_000, maxMs: 120_000 };
const scene = await setWhatsAppScene(undefined, {
  smtpUrl: mails.url,
  mailFrom: 'campanile@example.com',
  publicUrl: 'https://campanile.example.com',
  signUp: 'open',
  timeZone: 'Europe/Berlin',
  whatsappGap: GAP,
  whatsappWarmUpGap: GAP,
  metricsToken: METRICS_TOKEN,
});
const { peer, database, linked } = scene;
const { db, clock } = database;
afterAll(() => mails.close());

const TEXTS = joinPath(import.meta.dirname, '../../messages');
const textsOf = async (language: string) =>
  JSON.parse(await readFile(joinPath(TEXTS, `${language}.json`), 'utf8')) as Record<string, string>;
const [ENGLISH, GERMAN] = [await textsOf('en'), await textsOf('de')];
type Reason = 'quiet_hours' | 'offline' | 'disabled';
const said = (reason: Reason, texts = ENGLISH) => texts[`waits.${reason}`] ?? '';

describe.skipIf(!browser)('in a browser', () => {
  const team = {} as Record<'owner' | 'manager' | 'author' | 'operator', Person>;
  let phone: Phone;
  let workspaceId: string;

  beforeAll(async () => {
    const somebody = await linked(3);
    team.owner = somebody.person;
    ({ phone } = somebody);
    const { app } = scene;
    workspaceId = String(
      await readValue<number>(db)`select workspace_id from memberships where user_id = ${team.owner.userId}`,
    );
    for (const role of ['manager', 'author'] as const) {
      team[role] = await app.signUp(role);
      await join(app, { owner: team.owner, workspaceId, role }, team[role]);
    }
    team.operator = await app.signUp('operator');
    await execute(db)`update users set is_admin = true where user_id = ${team.operator.userId}`;
    await execute(db)`update users set email_verified_at = campanile_now()`;
    await team.owner.call('workspace/rename-workspace', { name: 'Parish of St Mary' });
    await team.owner.call('user/update_profile', { language: 'de', time_zone: 'Europe/Berlin' });
    await team.manager.call('user/update_profile', { first_name: 'Marta', last_name: 'Reis', language: 'en' });
    await team.author.call('user/update_profile', { first_name: 'Ana', last_name: 'Ruiz', language: 'en' });
  });

  async function enter(who: keyof typeof team, path: string): Promise<Page> {
    const visited = await visit(browser as Browser, scene.app.url);
    onTestFinished(() => visited.end());
    await visited.page.goto(who === 'operator' ? path : `${path}?workspace=${workspaceId}`);
    await signInInBrowser(visited.page, team[who].name);
    await visited.page.getByRole('link', { name: 'Settings' }).first().waitFor();
    await visited.page.getByRole('heading', { level: 1 }).waitFor();
    return visited.page;
  }
  const ask = async <Data>(who: keyof typeof team, path: string, body: object = {}) => {
    const answer = await callIn<Data>(scene.app, team[who], workspaceId, path, body);
    expect(answer.body, path).toMatchObject({ code: 200 });
    return answer.body.data;
  };
  const left = () =>
    until(() => readValue<number>(db)`select count(*)::int from lanes where in_hand_run_id is not null`, 0);

  /** Minutes pass, and the loop that looks twice a minute comes round. */
  async function pass(minutes: number): Promise<void> {
    await clock.advance({ minutes });
    // A worker is alive.
    await execute(db)`update workers set beat_at = campanile_now()`;
    await recordWaits(db, EVERY_SHARD, 'Europe/Berlin');
  }
  async function sendNow(page: Page, text: string, button: RegExp | string): Promise<string> {
    await page.goto('/campaigns/new');
    await writeMessage(page, text);
    await page.getByRole('button', { name: 'Select all matching' }).click();
    await page.getByRole('button', { name: button }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Send to 3 groups').first().waitFor();
    // Only a rule tells when it ends, and what leaves at once is soon over.
    expect((await page.getByText('Done by about', { exact: false }).count()) > 0).toBe(button !== 'Send when possible');
    await lookEverywhere(page, `waiting-receipt-${text.replaceAll(' ', '-')}`);
    await dialog.getByRole('button', { name: button }).click();
    await page.waitForURL(/\/campaigns\/[0-9a-f-]{36}$/);
    return page.url().slice(-36);
  }
  const metric = async (reason: Reason) => {
    const text = await (
      await fetch(`${scene.app.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
    ).text();
    return Number(new RegExp(`^campanile_accounts_waiting\\{reason="${reason}"\\} (\\S+)`, 'm').exec(text)?.[1] ?? 0);
  };
  /** What everybody sees of a campaign that waits. */
  async function expectSaid(reason: Reason, id: string, name: string): Promise<void> {
    const { waits_for } = await ask<{ waits_for: { reason: string } | null }>('manager', 'venom/get-campaign', {
      campaign_id: id,
    });
    expect(waits_for).toMatchObject({ reason });
    for (const who of ['manager', 'author'] as const) {
      const page = await enter(who, `/campaigns/${id}`);
      const progress = page.getByRole('region', { name: 'Progress' });
      await progress.getByText(said(reason), { exact: false }).waitFor();
      // Only a rule tells when it ends.
      expect(await progress.getByText('done by about', { exact: false }).count()).toBe(
        reason === 'quiet_hours' ? 1 : 0,
      );
      expect(await findBarriers(page)).toEqual([]);
      await lookEverywhere(page, `waiting-${name}-${who}-campaign`);
      await page.goto('/');
      await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
      await lookEverywhere(page, `waiting-${name}-${who}-home`);
      expect(await findBarriers(page)).toEqual([]);
      await page.goto('/account');
      await page.getByText(said(reason), { exact: false }).first().waitFor();
      expect(await findBarriers(page)).toEqual([]);
      await lookEverywhere(page, `waiting-${name}-${who}-account`);
    }
    const operator = await enter('operator', '/installation');
    await operator
      .getByText(ENGLISH['installation.checks.accounts'] ?? '', { exact: true })
      .first()
      .waitFor();
    await lookEverywhere(operator, `waiting-${name}-operator-installation`);
    expect(await findBarriers(operator)).toEqual([]);
  }

  test('in quiet hours', async () => {
    const around = (hours: number) =>
      Temporal.Now.zonedDateTimeISO('Europe/Berlin').add({ hours }).toPlainTime().toString({ smallestUnit: 'minute' });
    await ask('owner', 'venom/update-account', { quiet_hours: { from: around(-1), to: around(2) } });
    const manager = await enter('manager', '/');
    const id = await sendNow(manager, 'Good night', /^Send from .* on$/);
    await pass(2);
    await pass(17);
    await expectSaid('quiet_hours', id, 'quiet');
    await until(() => metric('quiet_hours'), 1);
    await ask('owner', 'venom/update-account', { quiet_hours: 'none' });
    await ask('manager', 'venom/cancel-campaign', { campaign_id: id });
  });

  test('while the host has no network for twenty minutes', async () => {
    await left();
    const manager = await enter('manager', '/');
    await clock.advance({ minutes: 3 });
    const id = await sendNow(manager, 'Bread and soup', /^Send( to 3 groups)? now$/);
    await until(
      async () => {
        await clock.advance({ seconds: 1 });
        return (
          await ask<{ totals: { sent: number } }>('manager', 'analytics/get-campaign-group-analytics-master', {
            campaign_id: id,
          })
        ).totals.sent;
      },
      (sent) => sent >= 1,
    );
    await left();
    peer.script.isReachable = false;
    peer.cut(phone);
    await statusWhen(team.owner, 'reconnecting');
    await pass(4);
    await pass(17);
    const subject = (texts: Record<string, string>) => texts['waits.offline'] ?? '?';
    const [mail] = await until(
      () =>
        mails.mails.filter(
          ({ to, subject: line }) => to === `${team.manager.name}@example.com` && line.includes(subject(ENGLISH)),
        ),
      (all) => all.length === 1,
    );
    expect(mail?.text).toContain(said('offline'));
    await until(() => mails.mails.filter(({ subject: line }) => line.includes(said('offline', GERMAN))).length, 1);
    await expectSaid('offline', id, 'offline');
    await until(() => metric('offline'), 1);
    await manager.goto('/');
    await manager.getByRole('button', { name: /^Notices/ }).click();
    await manager.getByRole('dialog').getByText(said('offline'), { exact: false }).waitFor();
    await lookEverywhere(manager, 'waiting-offline-manager-notices');
    const operator = await enter('operator', '/installation');
    await operator.getByText(said('offline'), { exact: false }).first().waitFor();
    peer.behave();
    await statusWhen(team.owner, 'connected');
    await until(async () => {
      await clock.advance({ minutes: 3 });
      return (await ask<{ status: string }>('manager', 'venom/get-campaign', { campaign_id: id })).status;
    }, 'completed');
  });

  test('while the owner is disabled', async () => {
    await left();
    const operator = await enter('operator', '/users');
    await operator.getByRole('button', { name: new RegExp(`^Actions for ${team.owner.name}`) }).click();
    await lookEverywhere(operator, 'waiting-disabled-operator-menu');
    await operator.keyboard.press('Escape');
    await ask('operator', 'admin/disable_user', { user_id: team.owner.userId });
    const manager = await enter('manager', '/');
    const id = await sendNow(manager, 'Evening prayer', 'Send when possible');
    await pass(2);
    await pass(17);
    await expectSaid('disabled', id, 'disabled');
    await until(() => metric('disabled'), 1);
    await operator.goto('/users');
    await lookEverywhere(operator, 'waiting-disabled-operator-users');
    expect(mails.mails.filter(({ subject }) => subject.includes(said('disabled')))).toEqual([]);
  });
});
