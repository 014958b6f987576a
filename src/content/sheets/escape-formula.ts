/** CSV injection: texts that a spreadsheet would run as formulas, in what it is given and in what it gives back. */

/** Spreadsheets differ in the characters they skip before it. A text that has the apostrophe already gets another, so that none is lost. */
export const FORMULA = /^'*(?:[\t\r\n]|\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/;

/**
 * Where a spreadsheet that parts cells by semicolons or tabs, as Excel does in much of Europe, sees a cell begin amidst one of ours:
 * quotes count for it only where they open a cell.
 */
const FORMULA_WITHIN = /([;\t\r\n])(?='*[\s"]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;
const ESCAPED_WITHIN = /([;\t\r\n])'(?='*[\s"]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;

/** Puts an apostrophe before what would be a formula amidst a text; papaparse puts one before its beginning. */
export function escapeFormulaWithin(text: string): string {
  return text.replaceAll(FORMULA_WITHIN, "$1'");
}

/** Takes away the apostrophe that an export has put before each formula. */
export function unescapeFormula(text: string): string {
  const whole = text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text;
  return whole.replaceAll(ESCAPED_WITHIN, '$1');
}
