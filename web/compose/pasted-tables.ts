const CELL_END = ' | ';
const BLOCKS = 'p, div, li, tr, h1, h2, h3, h4, h5, h6';

/**
 * Converts each table row to a line, since a message has no tables. A row with a cell of several blocks is a layout table: its cells become
 * blocks.
 */
export function flattenTables(body: HTMLElement): void {
  // Inner tables come first.
  for (const table of [...body.querySelectorAll('table')].toReversed()) {
    const rows = [...table.querySelectorAll('tr')].map(toLine);
    const caption = table.querySelector('caption');
    const whole = body.ownerDocument.createElement('div');
    if (caption) whole.append(inDiv(caption));
    whole.append(...rows);
    table.replaceWith(separator(body), whole, separator(body));
  }
}

/** The same for plain text from a spreadsheet. */
export function splitAtTabs(text: string): string {
  return text.replaceAll(/(?<=\S)\t+(?=\S)/g, CELL_END);
}

function toLine(row: HTMLElement): HTMLElement {
  const line = row.ownerDocument.createElement('div');
  const cells = [...row.querySelectorAll<HTMLElement>('td, th')].filter(({ textContent }) => textContent.trim() !== '');
  const isLine = cells.every((cell) => cell.querySelectorAll(BLOCKS).length <= 1);
  for (const [index, cell] of cells.entries()) {
    if (cells.length === 1 || !isLine) {
      line.append(inDiv(cell));
      continue;
    }
    if (index > 0) line.append(CELL_END);
    for (const end of cell.querySelectorAll('br')) end.replaceWith(' ');
    for (const block of cell.querySelectorAll(BLOCKS)) block.replaceWith(...block.childNodes);
    line.append(...cell.childNodes);
  }
  return line;
}

function inDiv({ ownerDocument, childNodes }: Element): HTMLElement {
  const block = ownerDocument.createElement('div');
  block.append(...childNodes);
  return block;
}

/** An empty paragraph separates its neighbours. */
function separator({ ownerDocument }: HTMLElement): HTMLElement {
  return ownerDocument.createElement('p');
}
