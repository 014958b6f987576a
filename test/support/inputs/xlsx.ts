import { ZipFile } from 'yazl';

/** A cell in XML, such as `<c r="B2"><v>46089</v></c>`. */
type Xml = string;

export interface Book {
  rows: readonly Xml[];
  /** Beside `sheetData`. */
  after?: Xml;
  is1904?: boolean;
  /** Further files by name. */
  files?: Readonly<Record<string, string>>;
}

export const inline = (address: string, text: string): Xml =>
  `<c r="${address}" t="inlineStr"><is><t xml:space="preserve">${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</t></is></c>`;

/** A row of texts. */
export const textRow = (row: number, texts: readonly string[], attributes = ''): Xml =>
  `<row r="${row}" ${attributes}>${texts.map((text, index) => inline(`${String.fromCharCode(65 + index)}${row}`, text)).join('')}</row>`;

/** Returns an XLSX file with one sheet. Style 1 is a date. */
export async function writeXlsx({ rows, after = '', is1904 = false, files = {} }: Book): Promise<Buffer> {
  const zip = new ZipFile();
  const parts: Record<string, string> = {
    'xl/workbook.xml': `<workbook xmlns:r="r"><workbookPr${is1904 ? ' date1904="1"' : ''}/><sheets><sheet name="Plan" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>',
    'xl/styles.xml':
      '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="20"/></cellXfs></styleSheet>',
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows.join('')}</sheetData>${after}</worksheet>`,
    ...files,
  };
  for (const [name, text] of Object.entries(parts)) zip.addBuffer(Buffer.from(text), name);
  zip.end();
  const pieces: Buffer[] = [];
  for await (const piece of zip.outputStream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
