/** What the dashboard does in many places looks and is worded in all of them as in one. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readCatalog } from '../../src/platform/i18n/load-messages.ts';

const root = join(import.meta.dirname, '../..');
const PAGES = globSync('web/**/*.tsx', { cwd: root, exclude: ['web/dist*/**'] }).map((file) => ({
  file,
  text: readFileSync(join(root, file), 'utf8'),
}));
const filesWith = (part: string) => PAGES.filter(({ text }) => text.includes(part)).map(({ file }) => file);

describe('Save', () => {
  test('is a button of one component', () => {
    expect(filesWith("t('common.save')")).toEqual(['web/parts/save-bar.tsx']);
    expect(filesWith("t('common.saved')")).toEqual(['web/parts/save-bar.tsx']);
  });

  test('has no other words, but where a list, a link, a template or a campaign is saved', () => {
    const words = Object.entries(readCatalog('en')).filter(([, text]) => /^Saved?\b(?! lists?\b)/.test(text));
    const own = words.map(([key]) => key).filter((key) => !key.startsWith('audit.'));
    expect(own.toSorted()).toEqual([
      'change.action',
      'common.save',
      'common.saved',
      'editor.linkEditorSave',
      'groups.saveAsList',
      'groups.saveAsListTitle',
      'groups.saveListTitle',
      'templates.as',
      'templates.note',
      'templates.save',
    ]);
  });
});

describe('an empty place', () => {
  /** Searches that find nothing, what is gone, and what is good to be empty. */
  const WITHOUT = new Set([
    'web/campaigns/detail/group-table.tsx',
    'web/campaigns/edit/edit-page.tsx',
    'web/campaigns/unsent/unsent-page.tsx',
    'web/compose/compose-page.tsx',
    'web/phone/chat.tsx',
    'web/report/shared-report-page.tsx',
    'web/shell/not-found-page.tsx',
  ]);

  test('shows a sample', () => {
    expect(filesWith('<Empty').filter((file) => !WITHOUT.has(file) && !filesWith('sample=').includes(file))).toEqual(
      [],
    );
    expect([...WITHOUT].filter((file) => !filesWith('<Empty').includes(file))).toEqual([]);
  });

  test('shows only samples of one component, and each of them somewhere', () => {
    const [, kinds = ''] =
      /type SampleKind =\s([^;]+);/.exec(PAGES.find(({ file }) => file === 'web/parts/sample.tsx')?.text ?? '') ?? [];
    const names = Array.from(kinds.matchAll(/'(\w+)'/g), ([, name = '']) => name);
    expect(names.length).toBeGreaterThan(5);
    expect(
      names.filter((name) => !PAGES.some(({ text }) => new RegExp(`sample=.*["']${name}["']`).test(text))),
    ).toEqual([]);
  });
});
