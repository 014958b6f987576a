/** Alerts, the Grafana dashboard and the metrics they use. */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createWebhookMetrics } from '../../src/operations/measure-webhooks.ts';
import { createMetrics } from '../../src/operations/metrics.ts';
import { startTestApp } from '../support/app.ts';

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

test('alerts and the dashboard select by labels that the metrics have', () => {
  const rows = [...read('docs/reference/metrics.md').matchAll(/^\| `(campanile_\w+)` \|([^|]*)\|/gm)];
  const labelsOf = new Map(rows.map(([, name = '', labels = '']) => [name, labels]));
  for (const file of ['alerts.yml', 'grafana.json']) {
    const text = readFileSync(join(FOLDER, file), 'utf8').replaceAll('\\"', '"');
    const selectors = [...text.matchAll(/(campanile_\w+?)(?:_bucket|_sum|_count)?\{([^}]*)\}/g)];
    expect(selectors.length).toBeGreaterThan(1);
    for (const [selector, name = '', labels = ''] of selectors)
      for (const [, label = ''] of labels.matchAll(/(\w+)(?:=|!)/g))
        expect(labelsOf.get(name), selector).toContain(`\`${label}\``);
  }
});

test('every described metric is registered by the service, with no other labels', async () => {
  const app = await startTestApp();
  await fetch(app.url);
  const text = await (await fetch(`${app.url}/metrics`)).text();
  await app.stop();
  const registered = new Map(
    [...text.matchAll(/^# TYPE (campanile_\w+) /gm)].map(([, name = '']) => [name, new Set<string>()]),
  );
  for (const [, series = '', labels = ''] of text.matchAll(/^(campanile_\w+?)(?:_bucket|_sum|_count)?\{([^}]*)\}/gm))
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) if (label !== 'le') registered.get(series)?.add(label);
  const rows = [...read('docs/reference/metrics.md').matchAll(/^\| `(campanile_\w+)` \|([^|]*)\|/gm)];
  const described = new Map(rows.map(([, name = '', labels = '']) => [name, labels]));
  const needsSetting = [
    'campanile_backup_command_last_success_timestamp_seconds',
    'campanile_backup_last_success_timestamp_seconds',
    'campanile_disk_free_bytes',
  ];
  expect([...described.keys()].filter((name) => !registered.has(name)).toSorted()).toEqual(needsSetting);
  expect([...registered.keys()].filter((name) => !described.has(name))).toEqual([]);
  for (const [name, labels] of registered)
    for (const label of labels) expect(described.get(name), name).toContain(`\`${label}\``);
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
  // Not repeat('x', 1000) of SQL.
  const started =
    /(?:\b(?:startLoop|repeat)\(\s*|startPolledLoop\(\w+, \{\s*name: |servePolled<.*>\(\w+, \{\s*name: )'([^']+)'(?!, \d)/g;
  const loops = [...sources.matchAll(started)].map(([, name]) => name);
  const counted = [...text.matchAll(/campanile_loop_errors_total\{loop="([^"]+)"\} 0/g)].map(([, name]) => name);
  expect(counted.toSorted()).toEqual([...new Set(loops)].toSorted());
  for (const loop of loops) expect(read('docs/reference/metrics.md')).toContain(`\`${loop}\``);
  expect(text.match(/campanile_attempts_total\{outcome="\w+"\} 0/g)).toHaveLength(4);
  expect(text.match(/campanile_webhook_attempts_total\{outcome="\w+"\} 0/g)).toHaveLength(3);
  expect(text.match(/campanile_webhooks_disabled_total\{reason="\w+"\} 0/g)).toHaveLength(2);
});

test('every alert has a case in which it fires, and one in which it does not', () => {
  const names = [...read('deploy/monitoring/alerts.yml').matchAll(/alert: (\w+)/g)].map(([, name = '']) => name);
  const cases = read('test/project/alerts.promtool.yml')
    .split(/^ {2}- interval/m)
    .slice(1);
  const casesOf = (alert: string) => cases.filter((one) => one.includes(`alertname: ${alert}\n`));
  const isSilent = (one: string) => one.includes('exp_alerts: []');
  for (const name of names) {
    expect(casesOf(name).some(isSilent), name).toBe(true);
    expect(casesOf(name).every(isSilent), name).toBe(false);
  }
});

test('the npm package has the files for monitoring', () => {
  const packed = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT, encoding: 'utf8' });
  expect(packed.status, packed.stderr).toBe(0);
  // One package; npm 12 lists packages by name.
  const [found] = Object.values(JSON.parse(packed.stdout) as Record<string, { files: Array<{ path: string }> }>);
  const paths = found?.files.map(({ path }) => path) ?? [];
  for (const file of globSync('deploy/monitoring/*', { cwd: ROOT })) expect(paths).toContain(file);
  expect(paths).toContain('docs/how-to/watch-it.md');
});

const NEEDS_PROMTOOL = 'promtool is not installed: "apt-get install prometheus" brings it';

test('promtool accepts the alert rules', ({ skip }) => {
  skip(!hasPromtool, NEEDS_PROMTOOL);
  const checked = spawnSync('promtool', ['check', 'rules', join(FOLDER, 'alerts.yml')], { encoding: 'utf8' });
  expect(checked.status, checked.stderr).toBe(0);
});

test('each alert fires when it should, and only then', ({ skip }) => {
  skip(!hasPromtool, NEEDS_PROMTOOL);
  const tested = spawnSync('promtool', ['test', 'rules', join(ROOT, 'test/project/alerts.promtool.yml')], {
    encoding: 'utf8',
  });
  expect(tested.status, tested.stdout + tested.stderr).toBe(0);
});
