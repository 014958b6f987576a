import { describe, expect, test } from 'vitest';
import { compileChoice } from '../../../src/content/text/choose-text.ts';
import { compilePost, type Template } from '../../../src/content/post/fill-post.ts';
import { LANGUAGE_KEY } from '../../../src/content/post/translations.ts';
import { foldFieldName } from '../../../src/content/text/fold-name.ts';

const chooserOf = (...languages: string[]) => compileChoice(languages.map((language) => ({ language })));

describe('the text for a group', () => {
  test.each([
    ['its own language', ['pt-BR', 'pt'], 'pt-BR', 'pt-BR'],
    ['the same language, without a region first', ['pt-BR', 'pt'], 'pt-PT', 'pt'],
    ['the same language in another region', ['pt-BR', 'pt-AO'], 'pt-PT', 'pt-BR'],
    ['the same language in a region, for a group without one', ['de-AT', 'de-CH'], 'de', 'de-AT'],
    ['the script of its region', ['zh-Hans', 'zh-Hant'], 'zh-HK', 'zh-Hant'],
    ['the usual script of its language', ['zh-Hant', 'zh-Hans'], 'zh', 'zh-Hans'],
    ['its own script, whatever the region', ['sr', 'sr-Latn'], 'sr-Latn-RS', 'sr-Latn'],
    ['its language in another script, rather than another language', ['zh-Hans', 'de'], 'zh-TW', 'zh-Hans'],
    ['Norwegian, for Bokmål', ['de', 'nn', 'no'], 'nb', 'no'],
    ['Norwegian, for Nynorsk in its region', ['nb', 'no'], 'nn-NO', 'no'],
    ['Bokmål, for Norwegian', ['nn', 'nb-NO'], 'no', 'nb-NO'],
    ['the other Norwegian, rather than another language', ['de', 'nn'], 'nb', 'nn'],
    ['the main text for another language', ['de', 'fr'], 'es', ''],
    ['the main text for a language that begins alike', ['de'], 'den', ''],
    ['the main text for none', ['de'], '', ''],
    ['the main text for one that is not known', ['de'], null, ''],
  ])('is that in %s', (_, languages, wanted, chosen) => {
    const choose = chooserOf(...languages);
    expect(choose(wanted)).toBe(chosen);
    // Asked again, and in any order of groups.
    choose('xx');
    expect(choose(wanted)).toBe(chosen);
  });

  test('needs the values of that text alone, and keeps its braces where the post has no fields', () => {
    const text = (language: string, said: string, ...keys: string[]) => ({
      language,
      html: '',
      text: said,
      placeholders: keys.map((key) => ({ name: key, key })),
    });
    const template: Template = {
      text: 'Hi',
      placeholders: [],
      translations: [text('de', 'Frag \ufdd0', 'host'), text('fr', 'Demande à {{ host }}')],
      fields: {
        host: { name: 'host', fieldId: 1, requiredIn: ['de'] },
        [LANGUAGE_KEY]: { name: 'language', builtIn: 'language' },
      },
    };
    const fill = compilePost(template, {
      extras: { files: [{ mediaId: 1, caption: '{{ host | "us" }}' }] },
      hasFile: true,
    });
    expect(fill({ [LANGUAGE_KEY]: 'en', host: null })).toMatchObject({ text: 'Hi', language: '' });
    expect(fill({ [LANGUAGE_KEY]: 'de', host: null })).toMatchObject({ failure: { code: 'value_missing' } });
    expect(fill({ [LANGUAGE_KEY]: 'de-AT', host: 'Ana' })).toMatchObject({ text: 'Frag Ana', language: 'de' });
    expect(fill({ [LANGUAGE_KEY]: 'fr' })).toMatchObject({
      text: 'Demande à {{ host }}',
      extras: { files: [{ caption: 'us' }] },
    });
    const literal = compilePost(
      { ...template, isLiteral: true },
      { extras: { files: [{ mediaId: 1, caption: '{{ host | "us" }}' }] }, hasFile: true },
    );
    expect(literal({ [LANGUAGE_KEY]: 'fr' })).toMatchObject({ extras: { files: [{ caption: '{{ host | "us" }}' }] } });
  });

  test('goes without the preview of a link that it does not have', () => {
    const linkPreview = { url: 'https://example.org/en', title: 'Fair', description: '' };
    const translations = [
      { language: 'de', html: '', text: 'Siehe https://example.org/de', placeholders: [] },
      { language: 'fr', html: '', text: 'Voir https://example.org/en', placeholders: [] },
    ];
    const fill = compilePost(
      { text: 'See https://example.org/en', placeholders: [], fields: {}, translations },
      { extras: { linkPreview }, hasFile: false },
    );
    expect(fill({ [LANGUAGE_KEY]: 'en' })).toMatchObject({ extras: { linkPreview } });
    expect(fill({ [LANGUAGE_KEY]: 'fr' })).toMatchObject({ extras: { linkPreview } });
    expect(fill({ [LANGUAGE_KEY]: 'de' })).toMatchObject({ extras: {} });
    expect(fill({ [LANGUAGE_KEY]: 'de' })).not.toMatchObject({ extras: { linkPreview } });
  });
});

test('no field can have the key of the language', () => {
  for (const name of [LANGUAGE_KEY, 'Language', 'ＬＡＮＧＵＡＧＥ']) expect(foldFieldName(name)).not.toBe(LANGUAGE_KEY);
});
