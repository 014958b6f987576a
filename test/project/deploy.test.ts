/** The files in `deploy/`: each sending process has its STATE_DIR on a volume that outlives it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { readConfig } from '../../src/platform/config/config.ts';

const ROOT = join(import.meta.dirname, '../..');
const readText = (name: string) => readFileSync(join(ROOT, name), 'utf8');
/** The value that the image sets. */
const stateDir = /STATE_DIR=(\S+)/.exec(readText('deploy/Containerfile'))?.[1] ?? '';
const holdsStateDir = (mountPath: string) => mountPath === stateDir || stateDir.startsWith(`${mountPath}/`);

const Mount = z.object({ name: z.string(), mountPath: z.string(), readOnly: z.boolean().optional() });
const Probe = z.looseObject({ httpGet: z.looseObject({ path: z.string() }) });
const ConfigMap = z.object({ kind: z.literal('ConfigMap'), data: z.record(z.string(), z.string()) });
const Budget = z.object({ kind: z.literal('PodDisruptionBudget'), spec: z.looseObject({}) });
const Workload = z.object({
  kind: z.enum(['Deployment', 'StatefulSet']),
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    serviceName: z.string().optional(),
    template: z.object({
      spec: z.object({
        containers: z.array(
          z.object({
            env: z.array(z.object({ name: z.string(), value: z.string() })),
            volumeMounts: z.array(Mount),
            startupProbe: Probe,
            livenessProbe: Probe,
            readinessProbe: Probe,
          }),
        ),
        volumes: z.array(
          z.object({
            name: z.string(),
            secret: z.object({ secretName: z.string(), defaultMode: z.number() }).optional(),
          }),
        ),
      }),
    }),
    volumeClaimTemplates: z.array(z.object({ metadata: z.object({ name: z.string() }) })).default([]),
  }),
});
const Compose = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string(),
      environment: z.record(z.string(), z.string()).default({}),
      volumes: z.array(z.string()).default([]),
    }),
  ),
  volumes: z.record(z.string(), z.unknown()),
});

describe('kubernetes/', () => {
  const readAll = (name: string) =>
    parseAllDocuments(readText(`deploy/kubernetes/${name}`)).map((one): unknown => one.toJS());
  const documents = readAll('1-campanile.yaml');
  const workloads = documents.flatMap((one) => Workload.safeParse(one).data ?? []);

  test('claims a volume for the STATE_DIR of each sending process', () => {
    const sending = workloads.flatMap(({ spec, ...workload }) =>
      spec.template.spec.containers
        .filter(({ env }) => env.find(({ name }) => name === 'ROLE')?.value !== 'api')
        .map(({ volumeMounts }) => ({ ...workload, spec, volumeMounts })),
    );
    expect(sending).toHaveLength(1);
    for (const { kind, spec, volumeMounts } of sending) {
      const claims = spec.volumeClaimTemplates.map(({ metadata }) => metadata.name);
      expect(kind).toBe('StatefulSet');
      expect(claims).toContain(volumeMounts.find(({ mountPath }) => holdsStateDir(mountPath))?.name);
      const names = documents.map(
        (one) => z.object({ metadata: z.object({ name: z.string() }) }).parse(one).metadata.name,
      );
      expect(names).toContain(spec.serviceName);
    }
  });

  test('opens the way in by the last file, after the first user', () => {
    const kindsOf = (all: unknown[]) => all.map((one) => z.object({ kind: z.string() }).parse(one).kind);
    expect(kindsOf(documents)).not.toContain('Ingress');
    expect(kindsOf(readAll('2-ingress.yaml'))).toEqual(['Ingress']);
    const steps = readText('deploy/kubernetes/1-campanile.yaml');
    const order = [
      'create secret',
      'apply -f deploy/kubernetes/1-',
      'users create ada',
      'apply -f deploy/kubernetes/2-',
    ];
    const places = order.map((step) => steps.indexOf(step));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places).not.toContain(-1);
  });

  test('configures each process with invitations and a token for the metrics, and reads secrets from files', () => {
    const { data } = documents.map((one) => ConfigMap.safeParse(one).data).find((one) => one !== undefined) ?? {
      data: {},
    };
    const folder = mkdtempSync(join(tmpdir(), 'campanile-secrets-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    // As the first step makes them.
    const secrets = { JWT_SECRET: 'ab'.repeat(32), ENCRYPTION_KEY: 'cd'.repeat(32), METRICS_TOKEN: 'ef'.repeat(32) };
    const steps = readText('deploy/kubernetes/1-campanile.yaml');
    expect(steps).toContain(`for name in ${Object.keys(secrets).join(' ')}; do`);
    for (const [name, value] of Object.entries({ ...secrets, DATABASE_URL: 'postgres://u:p@db/campanile' }))
      writeFileSync(join(folder, name), `${value}\n`);
    const settings = Object.entries(data).map(([name, value]) => [
      name,
      String(value).replace(/^\/secrets(?=\/)/, folder),
    ]);
    for (const { spec } of workloads)
      for (const { env, volumeMounts } of spec.template.spec.containers) {
        const own = env.map(({ name, value }) => [name, value]);
        const config = readConfig({
          ...Object.fromEntries([...settings, ...own]),
          STATE_DIR: stateDir,
          DATA_DIR: '/data/data',
        });
        expect(config).toMatchObject({ signUp: 'invite', metricsToken: secrets.METRICS_TOKEN, misspelled: [] });
        const volume = spec.template.spec.volumes.find(({ secret }) => secret);
        // fsGroup makes root and that group the owners, so that others have nothing.
        expect(volume?.secret).toEqual({ secretName: 'campanile', defaultMode: 0o440 });
        expect(volumeMounts).toContainEqual({ name: volume?.name, mountPath: '/secrets', readOnly: true });
      }
  });

  test('gives a start two minutes, and kills no process that waits for the database or migrates it', () => {
    for (const { spec } of workloads)
      for (const { startupProbe, livenessProbe, readinessProbe } of spec.template.spec.containers) {
        expect(startupProbe).toMatchObject({
          httpGet: { path: '/health/live' },
          periodSeconds: 2,
          failureThreshold: 60,
        });
        expect(livenessProbe).toMatchObject({ httpGet: { path: '/health/live' } });
        expect(readinessProbe).toMatchObject({ httpGet: { path: '/health/ready' } });
      }
  });

  test('lets a drained node take one pod of each workload at a time', () => {
    const budgets = documents.flatMap((one) => Budget.safeParse(one).data?.spec ?? []);
    expect(budgets).toEqual(
      ['api', 'worker'].map((role) => ({ maxUnavailable: 1, selector: { matchLabels: { app: 'campanile', role } } })),
    );
  });

  test('has two workloads, one of which answers requests', () => {
    expect(workloads.map(({ metadata }) => metadata.name)).toEqual(['campanile-api', 'campanile-worker']);
  });
});

describe.for(['compose.yaml', 'compose.scale.yaml'])('%s', (name) => {
  test('has a named volume for the STATE_DIR of each sending process', () => {
    const { services, volumes } = Compose.parse(parse(readText(`deploy/${name}`), { merge: true }));
    const sending = Object.values(services).filter(
      ({ image, environment }) => image.includes('campanile') && environment['ROLE'] !== 'api',
    );
    expect(sending).toHaveLength(1);
    for (const service of sending) {
      const mounts = service.volumes.map((volume) => volume.split(':'));
      const named = mounts.find(([, path]) => path !== undefined && holdsStateDir(path))?.[0];
      expect(Object.keys(volumes)).toContain(named);
    }
  });
});

test('the systemd unit keeps STATE_DIR in a folder of its own', () => {
  const unit = readText('deploy/campanile.service');
  const folder = /^StateDirectory=(\S+)$/m.exec(unit)?.[1];
  expect(unit).toContain(`STATE_DIR=/var/lib/${folder}/`);
});
