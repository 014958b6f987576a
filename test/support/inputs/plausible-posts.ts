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

/** Whole posts of schools, parishes and shops in other languages, with their signs. */
export const POSTS_ELSEWHERE: readonly string[] = [
  '<p>Chers parents, la kermesse aura lieu samedi à 14 h&nbsp;30. Prix&nbsp;: 5&nbsp;€ *</p><p>* gratuit pour les moins de 6 ans</p>',
  '<p>Messe des familles dimanche 10 h 30 (église St-Jean). Thème&nbsp;: «&nbsp;Rien n’est nul, tout est don&nbsp;».</p>',
  '<p>🛍️ SOLDES −50&nbsp;% sur tout ! Code&nbsp;: NOEL_2026 (valable jusqu’au 31/12)**</p><p>** hors livres</p>',
  '<p>Cari genitori, la riunione è spostata a giovedì ore 17:30, aula 3_B. Portate 2*3 quaderni.</p>',
  '<p>Parrocchia S. Rita: rosario ore 18,30 ~ Messa ore 19. #avvento #SantaRita</p>',
  '<p>Beste ouders, de score was nul-nul; volgende week spelen we thuis (veld #2).</p>',
  '<p>Actie! 3 + 1 gratis* op alle *biologische kazen.</p><p>*zolang de voorraad strekt</p>',
  '<p>Drodzy Rodzice, zebranie 5.12 o godz. 18:00, sala 12_A. Składka: 20 zł/os. (___ podpis)</p>',
  '<p>Promocja: -30% na cały asortyment, kod „ZIMA%26”. Nie łączy się z in. promocjami.</p>',
  '<p>Değerli veliler, yarın okul tatil. Kantin: %50 indirim, %10 KDV dahil.</p>',
  "<p>İndirim! Tüm ürünlerde %20'ye varan %indirim. Son gün pazar :)</p>",
  '<p>Hej alla! Matchen slutade 0–0 (noll noll). Fika: 20 kr, barn 10:-</p>',
  '<p>Kjære foreldre, det er null toleranse for mobbing. Møte kl. 18.00 i rom B_2.</p>',
  '<p>Vi vant 3–null! Neste kamp er lørdag kl. 12, og null stress: det er kafé.</p>',
  '<p>Kære alle, husk gummistøvler ~ det bliver vådt. Pris: 25,- pr. barn (*medlemmer 15,-)</p>',
  '<p>Hyvät vanhemmat! Retki klo 9–14. Mukaan: eväät + 2 €/lapsi. Tulos oli 0-0 :-)</p>',
  '<p>Milí rodiče, sraz v 7:45 u školy, cena 150,- Kč. S sebou: _pláštěnku_svačinu.</p>',
  '<p>Dragi părinți, serbarea este vineri, ora 16:00; intrarea liberă (max. 2 pers./elev*).</p><p>*fără frați</p>',
  '<p>Kedves Szülők! A farsang 15:00-kor kezdődik. Belépő: 500 Ft/fő, tombola 3*200 Ft.</p>',
  '<p>Αγαπητοί γονείς, η γιορτή είναι στις 18:00. Είσοδος: 2 € (παιδιά 0 €). #σχολείο</p>',
  '<p>Уважаемые родители! Собрание 5 декабря в 18:00, каб. 12_А. Скидка 50% на всё!!!</p>',
  '<p>Шановні батьки, ярмарок о 10:00. Виручка: 5_000 грн, дякуємо!!! #школа_7</p>',
  '<p>الأهالي الكرام، الاجتماع يوم الأحد الساعة ٦ مساءً. الرسوم: ٥٠٪ خصم للأخوة * </p>',
  '<p>שלום להורים, האסיפה ביום א׳ בשעה 18:00. מחיר: 20 ₪ (50% הנחה לאחים)</p>',
  '<p>Wazazi wapendwa, kikao ni Jumamosi saa 3 asubuhi. Ada: 5,000/= kwa mtoto.</p>',
  '<p>அன்புள்ள பெற்றோரே, கூட்டம் காலை 10 மணிக்கு. கட்டணம் ₹100 * மாணவருக்கு ₹50</p>',
  '<p>প্রিয় অভিভাবক, সভা সকাল ১০টায়। ফি ৫০% ছাড় (রুম #৩)</p>',
  '<p>保護者の皆様、明日9:00集合です。持ち物:水筒*タオル_帽子。参加費500円〜</p>',
  '<p>各位家长:明天 8:30 校门口集合。费用:¥20*2=¥40。备注:[自愿]</p>',
  '<p>학부모님께, 내일 9시까지 오세요~ 준비물: 물통, 모자^^ (회비 5,000원*)</p>',
  '<p>Kính gửi phụ huynh: họp lúc 18h00, phòng 3_A. Giảm giá 20% cho anh/chị/em.</p>',
  '<p>เรียนผู้ปกครอง ประชุมพรุ่งนี้ 9.00 น. ค่าใช้จ่าย 100.- (ลด 50%)</p>',
  '<p>Mahal na mga magulang, PTA meeting bukas 9AM. Ambag: ₱50/bata. #BayanihanSaEskwela #1</p>',
  '<p>Beste ouers, die kermis is Saterdag om 09:00. Nul afval, asseblief! R20 p/p*</p>',
  '<p>Benvolguts, la sortida és dissabte a les 9 h. Tot inclòs; Preu: 12 €</p>',
  '<p>Caros pais, a festa é no sábado às 15h. Levar: prato_doce ou salgado; R$ 10,00 (nulo p/ bebês).</p>',
  '<p>Estimadas familias: TODO EL DÍA habrá talleres. Precio: 3 € / taller. Aforo: 20*</p><p>*por orden de llegada</p>',
  '<p>🕯️ Requiem for our friend *1941 †2026, Friday 11 am, St Mary’s. No flowers; donations to IBAN DE89 3704.</p>',
  '<p>Today’s menu: Soup (V) 4.50 | Fish &amp; chips* 9.00 | Cake ~ 3.20</p><p>* contains [1], [7] &lt;allergens&gt;</p>',
  '<p>Year 4: spellings_week_3.pdf is on the school page: <a href="https://school.example.org/y4/spellings_week_3.pdf?ref=wa">open</a>. Score: 3–nil, not null&nbsp;;-)</p>',
  '<p>Members’ sale: buy 2 get 1 FREE**!</p><p>**cheapest item</p>',
  '<p>Hinweis: Die Hausordnung § 3 (* neu) gilt ab sofort.</p>',
];
