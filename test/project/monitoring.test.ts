/** Alerts, the Grafana dashboard and the metrics they use. */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createWebhookMetrics } from '../../src/operations/measure-webhooks.ts';
import { createMetrics } from '../../src/operations/metrics.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'deploy/monitoring');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const sources = globSync('src/**/*.ts', { cwd: ROOT }).map(read).join('\n');
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

const namesIn = (text: string) => new Set(text.match(/campanile_\w+/g) ?? []);

test('alerts and the dashboard query existing metrics', () => {
  const described = namesIn(read('docs/reference/metrics.md'));
  for (const file of ['alerts.yml', 'grafana.json']) {
    const asked = [...namesIn(readFileSync(join(FOLDER, file), 'utf8'))];
    expect(asked.length).toBeGreaterThan(8);
    expect(asked.filter((name) => !described.has(name.replace(/_(bucket|sum|count)$/, '')))).toEqual([]);
  }
});

test('the how-to describes exactly the existing alerts', () => {
  const alarms = [...read('deploy/monitoring/alerts.yml').matchAll(/alert: (\w+)/g)].map(([, name]) => name);
  expect([...read('docs/how-to/watch-it.md').matchAll(/`(Campanile\w+)`/g)].map(([, name]) => name).toSorted()).toEqual(
    alarms.toSorted(),
  );
});

test('every panel of the dashboard has a query and a position of its own', () => {
  const { panels } = JSON.parse(read('deploy/monitoring/grafana.json')) as {
    panels: Array<{ type: string; id: number; gridPos: { x: number; y: number }; targets?: Array<{ expr: string }> }>;
  };
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect(new Set(panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)).size).toBe(panels.length);
  expect(panels.filter(({ type, targets }) => type !== 'row' && !targets?.[0]?.expr)).toEqual([]);
});

test('each loop and each outcome of an attempt has a series from the start', async () => {
  const { registry } = createMetrics();
  createWebhookMetrics(registry);
  const text = await registry.metrics();
  const loops = [...sources.matchAll(/(?:startLoop\(\s*|serveConcurrently<.*>\(\{\s*name: )'([^']+)'/g)].map(
    ([, name]) => name,
  );
  const counted = [...text.matchAll(/campanile_loop_errors_total\{loop="([^"]+)"\} 0/g)].map(([, name]) => name);
  expect(counted.toSorted()).toEqual([...new Set(loops)].toSorted());
  for (const loop of loops) expect(read('docs/reference/metrics.md')).toContain(`\`${loop}\``);
  expect(text.match(/campanile_attempts_total\{outcome="\w+"\} 0/g)).toHaveLength(4);
  expect(text.match(/campanile_webhook_attempts_total\{outcome="\w+"\} 0/g)).toHaveLength(3);
  expect(text.match(/campanile_webhooks_disabled_total\{reason="\w+"\} 0/g)).toHaveLength(2);
});

test.skipIf(!hasPromtool)('the alert rules pass promtool, if it is installed', () => {
  const checked = spawnSync('promtool', ['check', 'rules', join(FOLDER, 'alerts.yml')], { encoding: 'utf8' });
  expect(checked.status, checked.stderr).toBe(0);
});
