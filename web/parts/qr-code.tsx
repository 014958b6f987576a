import { useQuery } from '@tanstack/react-query';
import { Skeleton } from '@mantine/core';
import classes from './qr-code.module.css';

/** `text` as a QR code: dark on light in any theme, with the quiet zone that readers need. */
export function QrCode({ text, label, size = 220 }: { text: string; label: string; size?: number }) {
  const { data } = useQuery({
    queryKey: ['qr', text],
    queryFn: async () => {
      const { create } = await import('qrcode');
      return create(text, { errorCorrectionLevel: 'M' }).modules;
    },
    staleTime: Infinity,
  });
  if (!data) return <Skeleton width={size} height={size} />;
  const edge = 4;
  const width = data.size + 2 * edge;
  const squares = Array.from(data.data)
    .map((isDark, index) =>
      isDark ? `M${(index % data.size) + edge} ${Math.floor(index / data.size) + edge}h1v1h-1z` : '',
    )
    .join('');
  return (
    <svg
      role="img"
      aria-label={label}
      width={size}
      height={size}
      viewBox={`0 0 ${width} ${width}`}
      className={classes.qr}
    >
      <rect width={width} height={width} fill="#fff" />
      <path d={squares} fill="#000" shapeRendering="crispEdges" />
    </svg>
  );
}
