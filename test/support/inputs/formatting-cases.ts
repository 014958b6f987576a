/** The HTML examples of `docs/reference/formatting.md`, by their title. */

export const CASES: Readonly<Record<string, readonly string[]>> = {
  'Blocks and lines': [
    '<h2>Spring fair</h2><p>We open at nine.</p>',
    '<p>one</p><p>two<br>three</p>',
    '<p>one</p><p><br></p><p>two</p>',
    '  a \n\t b&nbsp;&nbsp;c ',
    '5 &lt; 6 &amp; 7 &gt; 2 &euro; &#128512;',
    '<!-- a note --><html><body><p class="x">text</p></body></html>',
  ],
  'Bold and italic': [
    '<b>bold</b>, <i>italic</i>, <b><i>both</i></b>',
    '<b>x<i>y</i></b><i>z</i>',
    '<b> spaces </b>outside',
    '<b>one<br>two</b>',
    '<b><p>one</p><p>two</p></b>',
    'un<b>believ</b>able',
    '<b>a</b><b>b</b> <strong>c</strong>',
    '<h3>all of it <b>bold</b></h3>',
    '<b>unclosed <i>mis</b>nested</i> end',
    '<p><b>left open<p>still bold</b> not any more',
  ],
  'Other scripts and emoji': [
    '😀<b>x</b>😀 <b>👩‍👩‍👧</b>y',
    '中<b>文</b>字',
    'العر<b>بية</b>',
    '<b>שלום</b> עולם',
    '<b>e&#x301;</b>t',
  ],
  'Signs in the text': [
    '2*3*4 and snake_case_name',
    '*not bold* _nor italic_ ~nor struck~ `nor code`',
    '<b>2 *x* 3</b>',
    '```<br>code?<br>```',
    '- no item<br>1. no number<br>&gt; no quote',
    '5* hotel, 3* food',
  ],
  Lists: [
    '<ul><li>one</li><li><b>two</b></li></ul>',
    '<ol start="99"><li>one</li><li>two</li></ol>',
    '<ul><li>one<ul><li>inner<ul><li>innermost</li></ul></li></ul></li></ul>',
    '<ol><li>one<ol><li>inner</li></ol></li><li>two</li></ol>',
    '<p>before<ul><li><p>first</p><p>second</p></li></ul>after',
    '<li>no list around it',
  ],
  Links: [
    '<a href="https://example.org/a_b?c=*d*">programme</a>',
    '<a href="https://example.org/">example.org</a>',
    '<a href="www.example.org">programme</a>',
    '<b>see <a href="https://example.org/x">here</a> now</b>',
    '<a href="mailto:a@example.org">write</a> or <a href="tel:+4930123">+49 30 123</a>',
    '<a href="https://example.org/a b(c)">odd address</a>',
    'https://example.org/<b>bold</b>',
    '<b>https://example.org/_a_</b>',
  ],
};

export const WARNED: readonly string[] = [
  '<ul><li>a<ul><li>b</li></ul></li></ul>',
  '<a href="https://example.org/fair">programme</a>',
  '<a href="https://example.net/">www.example.org</a>',
  'a<a href="https://example.org/"> </a>',
  '<a href="mailto:a@example.org?subject=Hello">a@example.org</a>',
  '<b>see https://example.org/</b>',
  '<a href="javascript:alert(1)">a</a> <a href="/b">b</a>',
  `<p>${'long text '.repeat(103)}</p>`,
];

export const REFUSED_HTML: readonly string[] = [
  '<div><img src=x>a</div><script>b()</script>',
  `${'<span>'.repeat(101)}a`,
  `<p>${'a'.repeat(65_537)}</p>`,
  `<p>${'<b>'.repeat(3)}${'<i>'.repeat(3)}${'<p>a'.repeat(600)}`,
];
