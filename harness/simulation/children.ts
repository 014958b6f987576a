/** Processes that simulate seeds, one after the other each, with a server of its own each: what one does shows nowhere in another's. */
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Report, Task } from './child.ts';
import type { ServerAddress } from './server.ts';

interface Child {
  server: ServerAddress;
  child: ChildProcess;
  ended: Promise<void>;
}

export interface Children {
  run(task: Omit<Task, 'server'>): Promise<Report>;
  /** Resolves when they have ended, in the middle of whatever they do. */
  close(): Promise<void>;
}

/** `mutation`: the bug they are loaded with; none unless given. */
export function openChildren(servers: readonly ServerAddress[], mutation?: string): Children {
  const file = join(import.meta.dirname, 'child.ts');
  const begin = (server: ServerAddress): Child => {
    const planted = mutation === undefined ? [] : ['--import', join(import.meta.dirname, 'load-mutated.ts')];
    const env = { ...process.env, SIMULATED_MUTATION: mutation };
    const child = fork(file, { serialization: 'advanced', execArgv: planted, env });
    const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
    return { server, child, ended };
  };
  const all = servers.map(begin);
  const free = [...all];
  const queue: Array<(one: Child) => void> = [];
  const take = () => {
    const one = free.pop();
    return one ? Promise.resolve(one) : new Promise<Child>((resolve) => void queue.push(resolve));
  };
  return {
    async run(task) {
      const one = await take();
      const told = Promise.withResolvers<Report>();
      one.child.once('message', (report: Report) => told.resolve(report));
      void one.ended.then(() => told.reject(new Error(`the process of seed ${task.seed} has ended`)));
      one.child.send({ ...task, server: one.server } satisfies Task);
      const report = await told.promise;
      const next = queue.shift();
      if (next) next(one);
      else free.push(one);
      return report;
    },
    async close() {
      for (const { child } of all) if (child.connected) child.disconnect();
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
}
