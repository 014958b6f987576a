/** One event of a stream, and what else a stream says. */
export type Frame =
  | { kind: 'event'; event: string; data: string }
  /** The position to resume after. It takes effect with the event of the same block. */
  | { kind: 'id'; id: string }
  /** How long to wait before connecting again. */
  | { kind: 'retry'; ms: number };

/**
 * Parses server-sent events out of pieces of text that are cut anywhere. Lines end as the format allows, but for a lone carriage
 * return, which nobody sends.
 */
export function parseEvents(): (piece: string) => Frame[] {
  let rest = '';
  let event = '';
  let data: string[] = [];
  let id: string | undefined;

  function take(line: string, frames: Frame[]) {
    if (line === '') {
      if (id !== undefined) frames.push({ kind: 'id', id });
      if (data.length > 0) frames.push({ kind: 'event', event: event || 'message', data: data.join('\n') });
      event = '';
      data = [];
      id = undefined;
      return;
    }
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    if (field === 'event') event = value;
    else if (field === 'data') data.push(value);
    else if (field === 'id' && !value.includes('\0')) id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) frames.push({ kind: 'retry', ms: Number(value) });
  }

  return (piece) => {
    const lines = (rest + piece).split(/\r?\n/);
    rest = lines.pop() ?? '';
    const frames: Frame[] = [];
    for (const line of lines) take(line, frames);
    return frames;
  };
}
