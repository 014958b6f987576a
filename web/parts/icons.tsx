import type { SVGProps } from 'react';

/** Paths on a 20 × 20 grid, drawn as strokes. */
const PATHS = {
  campaigns: 'M3 9v3l9 4V5L3 9zm9 0h2a2.5 2.5 0 0 1 0 5h-2M5.500 13v3.500h2.500v-2.500',
  calendar: 'M3 5h14v12H3zM3 9h14M7 3v4M13 3v4',
  groups:
    'M7.500 9.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2 17c0-3 2.500-5 5.500-5s5.500 2 5.500 5M13 4a3 3 0 0 1 0 5.500M15 12.500c2 .700 3 2.300 3 4.500',
  report: 'M3 17h14M5 17v-6M10 17V4M15 17V8',
  bell: 'M5 14c1-1 1.500-2.500 1.500-5.500a3.500 3.500 0 0 1 7 0c0 3 .500 4.500 1.500 5.500zM8.500 16.500a1.600 1.600 0 0 0 3 0',
  account: 'M6 2.500h8v15H6zM9 15h2',
  settings: 'M3 6h8M15 6h2M3 14h2M9 14h8M13 4v4M7 12v4',
  phone: 'M3 4h14v10H9l-4 3v-3H3z',
  plus: 'M10 4v12M4 10h12',
  search: 'M9 14.500a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11zM13 13l4 4',
  copy: 'M7 7h9v10H7zM4 13V3h9',
  qr: 'M3 3h5v5H3zM12 3h5v5h-5zM3 12h5v5H3zM12 12h2v2M17 12v2M12 17h2M17 17h0',
  sync: 'M4 10a6 6 0 0 1 10.500-4L16 7.500M16 3.500v4h-4M16 10a6 6 0 0 1-10.500 4L4 12.500M4 16.500v-4h4',
  pause: 'M7 4v12M13 4v12',
  play: 'M6 4l10 6-10 6z',
  stop: 'M5 5h10v10H5z',
  trash: 'M4 6h12M8 6V4h4v2M6 6l.700 11h6.600L14 6',
  key: 'M7 12.500a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM10.500 9H17v3M14 9v2',
  check: 'M4 10.500l4 4 8-9',
  alert: 'M10 3l8 14H2zM10 8v4M10 14.500h0',
  circle: 'M10 16a6 6 0 1 0 0-12 6 6 0 0 0 0 12z',
  list: 'M7 5h10M7 10h10M7 15h10M3 5h.500M3 10h.500M3 15h.500',
  send: 'M3 10L17 3.500 12.500 17l-3-5.500zM9.500 11.500L17 3.500',
  clock: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6v4l2.500 2',
  left: 'M12 4l-6 6 6 6',
  right: 'M8 4l6 6-6 6',
  help: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM7.800 8a2.200 2.200 0 1 1 3.200 2c-.700.400-1 .800-1 1.500M10 14h0',
  up: 'M5 12l5-5 5 5',
  down: 'M5 8l5 5 5-5',
  clip: 'M15 9l-5.500 5.500a3 3 0 0 1-4.200-4.200L11 4.500a2 2 0 0 1 2.900 2.900l-5.500 5.500a1 1 0 0 1-1.400-1.400L12 6.500',
  out: 'M8 4H4v12h4M12 6l4 4-4 4M16 10H8',
  stopped: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM5 5l10 10',
  edit: 'M4 16l.800-3.200L13.500 4l2.500 2.500-8.800 8.700zM11.500 6l2.500 2.500',
  dots: 'M4.500 10h0M10 10h0M15.500 10h0',
  download: 'M10 3v9M6.500 9l3.500 3.500 3.500-3.500M4 16.500h12',
  pin: 'M9 4h6l-1 6 3 3v2H7v-2l3-3zM12 15v6',
  undo: 'M4 8h8a4 4 0 0 1 0 8H8M7 5L4 8l3 3',
  smile: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM7 11.500a3.500 3.500 0 0 0 6 0M7.500 8h0M12.500 8h0',
  eye: 'M2 10s3-5 8-5 8 5 8 5-3 5-8 5-8-5-8-5zM10 12.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z',
  file: 'M5 2.500h7l3 3v12H5zM12 2.500v3h3',
} as const;

export type IconName = keyof typeof PATHS;

/** A decorative icon: text beside it says the same. */
export function Icon({ name, size = 18, ...props }: { name: IconName; size?: number } & SVGProps<SVGSVGElement>) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.6}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      {...props}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
