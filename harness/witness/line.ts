import { connect, type Socket } from 'node:net';
import { readLines } from './read-lines.ts';
import type { Answers, Question } from './protocol.ts';

type Op = Question['op'];
type Ask<K extends Op> = Extract<Question, { op: K }>;

/** A connection to the witness, opened on first use and reopened after a break. */
export interface Line {
  /** Resolves when there is a connection to write to; rejects when the witness cannot be reached. */
  ready(): Promise<void>;
  /**
   * Sends synchronously if the connection is open. Rejects if no answer arrives within 3 s or the connection breaks:
   * the outcome of the request is then unknown.
   */
  ask<K extends Op>(question: Ask<K>): Promise<Answers[K]>;
  close(): void;
}

const PATIENCE_MS = 3_000;

interface Waiting {
  resolve: (answer: never) => void;
  reject: (error: Error) => void;
}

export function openLine(port: number): Line {
  let opening: Promise<Socket> | undefined;
  let open: Socket | undefined;
  let asked = 0;
  const waiting = new Map<number, Waiting>();

  function dial(): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      socket.once('connect', () => {
        open = socket;
        resolve(socket);
      });
      socket.on('error', reject);
      const hangUp = () => {
        if (open !== socket) return;
        opening = undefined;
        open = undefined;
        for (const { reject: broken } of waiting.values()) broken(new Error('the line to the witness broke'));
        waiting.clear();
      };
      socket.once('end', hangUp);
      socket.once('close', hangUp);
      readLines(socket, (text) => {
        const { n, answer } = JSON.parse(text) as { n: number; answer: never };
        waiting.get(n)?.resolve(answer);
        waiting.delete(n);
      });
    });
  }

  return {
    async ready() {
      await (opening ??= dial().catch((error: unknown) => {
        opening = undefined;
        throw error;
      }));
    },
    ask(question) {
      return new Promise((resolve, reject) => {
        if (!open) return reject(new Error('there is no line to the witness'));
        const n = ++asked;
        const timer = setTimeout(() => {
          waiting.delete(n);
          reject(new Error('the witness has not answered'));
        }, PATIENCE_MS);
        waiting.set(n, {
          resolve(answer) {
            clearTimeout(timer);
            resolve(answer);
          },
          reject(error) {
            clearTimeout(timer);
            reject(error);
          },
        });
        open.write(`${JSON.stringify({ n, ...question })}\n`);
      });
    },
    close() {
      open?.destroy();
    },
  };
}
