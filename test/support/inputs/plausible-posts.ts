/** Posts as associations, schools and shops write them: full of signs that look like a mistake and are none. */

const TITLES = [
  'Spring fair on Saturday',
  'Elternabend der Klasse 4b',
  'TODO EL BARRIO: fiesta mayor',
  'Mutirão de limpeza *',
  'Kerja bakti minggu ini',
  'शनिवार को मेला',
  '50 % Rabatt auf alles',
  '#FridaysForFuture – we march',
  '5* hotel, 3* food',
  'Spielbericht: 3 zu null!',
];
const OPENINGS = [
  'Dear all,',
  'Liebe Eltern, hallo zusammen,',
  '¡Hola a todos! TODO está listo.',
  'Olá, pessoal: já está tudo pronto.',
  'Halo semuanya,',
  'नमस्ते,',
  'Guten Morgen! Es ist null Uhr, und es sind null Grad.',
  'Hi {everybody} ;-)',
  'Good news (*) for members:',
  'Attention — read me first!',
];
const BODIES = [
  'we meet at 19:30 in room A_12; bring 2*3 chairs, ~10 cups and 5_000 napkins.',
  'Treffpunkt ist wie immer um 8 Uhr (Parkplatz Nord). Kosten: 12&nbsp;€ p.&nbsp;P., Kinder -50%.',
  'la cena es a las 21:00 h. Precio: 15 € / persona; niños 50% y bebés 0%. Reserva ya: TODO incluido.',
  'traga luvas, água & protetor solar. Dúvidas? Fala com a Ana (11 91234-5678).',
  'bawa sapu, ember, dan sarung tangan. Mulai pukul 07.00 WIB s/d selesai :)',
  'समय: सुबह 9 बजे, स्थान: मैदान नं. 3। प्रवेश ₹50 %20 छूट के साथ।',
  'the score was 2:0, an undefined result, a null and void match; see rule #4 [p. 12] (draft_2).',
  'IBAN DE89 3704 0044 0532 0130 00, Zweck: Klasse_4b_Ausflug * bitte bis Freitag *',
  'vote with 1️⃣ *️⃣ #️⃣ or write to info_team@example.org. Tags: #a_b_c ~ #d ~ #e',
  'C:\\new\\notes.txt lies on \\\\server\\news; 100%ig sicher, 20% off, %d items, 5 &lt; 6 &amp; 7 &gt; 2.',
];
const ENDINGS = [
  'More: <a href="https://example.org/fair?utm_source=wa&amp;utm_medium=post#top">example.org</a>',
  'Mehr unter https://example.org/%C3%A4rzte%2Fliste?a_b=*c*&amp;d=~e~',
  'Mapa: https://maps.example.com/?q=41.38,2.17&amp;z=15',
  'Vídeo: https://video.example.com/watch?v=a_B-c_D&amp;t=10s',
  'Hubungi <a href="mailto:halo@example.org">halo@example.org</a> [jam kerja](Senin–Jumat)',
  'फ़ोन: <a href="tel:+911234567890">+91 12345 67890</a>',
  'Eure Rosa <br>___________',
  '<ul><li>tea *</li><li>cake **</li></ul><p>* vegan ** with nuts',
  '<ol><li># of seats: 40</li><li>“null” is German for zero, und Null ist eine Zahl</li></ol>',
  'Thanks!!! <3 ❤️ ~ the team ~ ...',
];

/** 200 posts, no two the same. */
export const PLAUSIBLE_POSTS: readonly string[] = Array.from({ length: 200 }, (_, index) => {
  const round = Math.floor(index / 10);
  const half = Math.floor(round / 10);
  const pick = (parts: readonly string[], step: number) => parts[(index + round * step + half) % parts.length] ?? '';
  return `<h2>${TITLES[index % 10]}</h2>\n<p>${pick(OPENINGS, 1)}<br>\n${pick(BODIES, 3)}</p>\n<p>${pick(ENDINGS, 7)}</p>`;
});
