/**
 * Fairness: an answer that can have hundreds of kilobytes takes a permit for its transfer, and an export a share of the process. A new
 * operation whose answer has a list needs `longAnswer`, `maxItems`, or a line here that says why it stays short.
 */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { contract } from '../../src/api/contract/contract.ts';
import type { OperationContract } from '../../src/api/contract/define-operations.ts';

const operations: ReadonlyMap<string, OperationContract> = new Map(
  Object.values(contract)
    .flatMap((resource) => Object.values<OperationContract>(resource))
    .map((operation) => [operation.path.replace('/api/v1/', ''), operation]),
);

/** Lists that something other than their schema keeps below 256 KiB. */
const SHORT: Readonly<Record<string, string>> = {
  'user/list_sessions': '200 sessions',
  'user/list_api_keys': 'quota of keys',
  'user/list_factors': '11 factors',
  'user/confirm_totp': '10 codes',
  'user/renew_recovery_codes': '10 codes',
  'admin/get_user': '50 workspaces',
  'admin/disable_user': '50 workspaces',
  'admin/enable_user': '50 workspaces',
  'admin/list_invitations': '1,000 addresses',
  'admin/list_users': 'pages of 200',
  'workspace/list-workspaces': '50 workspaces',
  'workspace/list-members': '100 members',
  'workspace/list-invitations': '100 invitations',
  'workspace/set-approval-rules': '100 approvers',
  'admin/get_installation': 'one line a check',
  'admin/list_queued': 'the first campaigns, and a count of the others',
  'venom/update-account': 'days of a warm-up',
  'venom/account-status': '50 states',
  'venom/list-accounts': '10 accounts',
  'venom/create-group': '1,024 people',
  'venom/list-group-lists': 'quota of lists, without their groups',
  'venom/preview-campaign': '100 links',
  'venom/list-campaigns': 'pages of 200',
  'venom/request-approval': '100 members',
  'venom/decide-approval': '100 members',
  'venom/remark-approval': '100 members',
  'venom/withdraw-approval': '100 members',
  'analytics/get-overview': '366 days',
  'analytics/list-report-links': '50 links',
  'venom/list-calendar-links': '20 links',
  'venom/list-webhooks': 'quota of webhooks',
  'venom/get-webhook': 'kinds of events',
  'user/list_notices': 'pages',
  'user/get_notice_settings': 'kinds of notices',
  'user/update_notice_settings': 'kinds of notices',
};

type Json = { [key: string]: Json | Json[] | undefined };

/** Whether a JSON schema, or a part of it, is a list of any length. */
function hasEndlessList(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  const { type, maxItems } = schema as Json;
  if (String(type) === 'array' && maxItems === undefined) return true;
  return Object.values(schema as Json).some(hasEndlessList);
}

const canBeLong = ({ data, answerType }: OperationContract) =>
  answerType !== undefined || hasEndlessList(z.toJSONSchema(data, { unrepresentable: 'any' }));

test('every operation whose answer can be long takes a permit for it', () => {
  const without = [...operations].filter(([, one]) => canBeLong(one) && one.longAnswer === undefined);
  expect(without.map(([path]) => path).filter((path) => SHORT[path] === undefined)).toEqual([]);
});

test('every answer that is a file or a table takes one, whatever keeps it short', () => {
  const files = [...operations.values()].filter(({ answerType }) => answerType !== undefined);
  expect(files.length).toBeGreaterThan(4);
  expect(files.filter(({ longAnswer }) => longAnswer === undefined)).toEqual([]);
});

test('the lists that are called short are those of operations that have one and no permit', () => {
  const needed = [...operations]
    .filter(([, one]) => canBeLong(one) && one.longAnswer === undefined)
    .map(([path]) => path);
  expect(Object.keys(SHORT).toSorted()).toEqual(needed.toSorted());
});
