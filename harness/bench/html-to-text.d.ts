/** As much of html-to-text as is measured against; the package brings no types. */
declare module 'html-to-text' {
  export function compile(options: { wordwrap: false }): (html: string) => string;
}
