/** The files in `deploy/`: each sending process has its STATE_DIR on a volume that outlives it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '../..');
const readText = (name: string) => readFileSync(join(ROOT, name), 'utf8');
/** The value that the image sets. */
const stateDir = /STATE_DIR=(\S+)/.exec(readText('deploy/Containerfile'))?.[1] ?? '';
const holdsStateDir = (mountPath: string) => mountPath === stateDir || stateDir.startsWith(`${mountPath}/`);

const Mount = z.object({ name: z.string(), mountPath: z.string() });
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

describe('kubernetes.yaml', () => {
  const documents = parseAllDocuments(readText('deploy/kubernetes.yaml')).map((one): unknown => one.toJS());
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
