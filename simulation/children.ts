/** So many processes that simulate seeds, one after the other each. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Report, Task } from './child.ts';
import type { ServerAddress } from './server.ts';

export interface Children {
  run(task: Omit<Task, 'server'>): Promise<Report>;
  close(): void;
}

export function openChildren(server: ServerAddress, count: number): Children {
  const start = () => fork(join(import.meta.dirname, 'child.ts'), { serialization: 'advanced', execArgv: [] });
  const all = Array.from({ length: count }, start);
  const free = [...all];
  const queue: Array<(child: ChildProcess) => void> = [];
  const take = () => {
    const child = free.pop();
    return child ? Promise.resolve(child) : new Promise<ChildProcess>((resolve) => void queue.push(resolve));
  };
  return {
    async run(task) {
      const child = await take();
      const told = once(child, 'message') as Promise<[Report]>;
      child.send({ ...task, server } satisfies Task);
      const [report] = await told;
      const next = queue.shift();
      if (next) next(child);
      else free.push(child);
      return report;
    },
    close() {
      for (const child of all) child.disconnect();
    },
  };
}
