import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';
import { t } from './i18n/translate.ts';

/** White on shade 7 and shade 3 on the darkest grey both reach AA contrast for small text (WCAG). */
const bronze: MantineColorsTuple = [
  '#faf4ec',
  '#f1e4d2',
  '#e5cba8',
  '#d9b07b',
  '#cd9854',
  '#bf8339',
  '#a86f2b',
  '#8a5820',
  '#704719',
  '#573611',
];

export const theme = createTheme({
  primaryColor: 'bronze',
  primaryShade: 7,
  colors: { bronze },
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: { fontFamily: "'Inter Variable', system-ui, sans-serif", fontWeight: '650' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Modal: {
      defaultProps: {
        centered: true,
        transitionProps: { duration: 120 },
        closeButtonProps: { 'aria-label': t('common.close') },
      },
      styles: { title: { fontWeight: 650, overflowWrap: 'anywhere' } },
    },
    PasswordInput: { defaultProps: { visibilityToggleButtonProps: { 'aria-label': t('common.showPassword') } } },
    Tooltip: {
      defaultProps: { transitionProps: { duration: 100 }, events: { hover: true, focus: true, touch: false } },
    },
    Notification: { defaultProps: { withBorder: true, closeButtonProps: { 'aria-label': t('common.close') } } },
    Portal: { defaultProps: { target: '#layers' } },
    // A menu may hold only items; its first item gets the focus.
    Menu: { defaultProps: { transitionProps: { duration: 100 }, withInitialFocusPlaceholder: false } },
    // The list itself scrolls: a nested scroll area cannot be reached by keyboard.
    Select: {
      defaultProps: { withScrollArea: false },
      styles: { options: { maxHeight: 220, overflowY: 'auto' } },
    },
    Popover: { defaultProps: { transitionProps: { duration: 100 } } },
  },
});

/**
 * Three surfaces (`--page`, `--card` on it, `--inset` in a card) and the tints of states; no style sheet draws another background. Mantine's
 * dimmed greys and its red are too faint for small text.
 */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: { '--hover': 'var(--page)', '--accent-tint': 'var(--mantine-color-bronze-light)' },
  light: {
    '--mantine-color-dimmed': '#5a6068',
    '--mantine-color-placeholder': '#6b7280',
    '--mantine-color-error': '#b42318',
    '--page': '#f7f6f4',
    '--card': '#ffffff',
    '--inset': '#faf9f7',
    '--warning': '#fdf3dc',
    '--line': '#e4e1dc',
    '--delivered': '#6b7280',
    '--read': '#0b76a8',
    '--failed': '#b42318',
    '--good': '#2e7d4f',
    '--planned': '#4a63b8',
    '--paused': '#8a6100',
    '--accent-text': '#8a5820',
    ...listColours(['#2a62c9', '#b4540a', '#0d7d74', '#b0308f', '#7a6a00', '#6d45c4', '#4c7a0f', '#44546a']),
  },
  dark: {
    '--mantine-color-dimmed': '#b4b4b4',
    '--mantine-color-placeholder': '#9a9a9a',
    '--mantine-color-error': '#ff9a91',
    '--mantine-color-body': '#1d1c1b',
    '--page': '#161514',
    '--card': '#1d1c1b',
    '--inset': '#191817',
    '--warning': '#352a10',
    '--line': '#35322f',
    '--delivered': '#a8a8a8',
    '--read': '#53bdeb',
    '--failed': '#ff9a91',
    '--good': '#6cc692',
    '--planned': '#9fb2ff',
    '--paused': '#e6b94d',
    '--accent-text': '#d9b07b',
    ...listColours(['#7fb0ff', '#f2a35e', '#4fd1c3', '#f28bd6', '#d9c441', '#b9a0ff', '#a5d35a', '#b3c2d6']),
  },
});

/** The colours of saved lists in the calendar, at a contrast of 3:1 or more on a chip. */
function listColours(colours: readonly string[]): Record<string, string> {
  return Object.fromEntries(colours.map((colour, index) => [`--list-${index + 1}`, colour]));
}
