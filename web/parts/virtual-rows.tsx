import { useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import classes from './virtual-rows.module.css';

const SPARE_ROWS = 8;

/**
 * Virtualization: returns which of `count` rows of equal height to render in a scrolling box. A list of ten thousand groups is as fast as
 * one of ten.
 */
export function useVirtualRows(count: number, rowHeight: number) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const updateView = () => setView({ top: element.scrollTop, height: element.clientHeight });
    updateView();
    element.addEventListener('scroll', updateView, { passive: true });
    const observer = new ResizeObserver(updateView);
    observer.observe(element);
    return () => {
      element.removeEventListener('scroll', updateView);
      observer.disconnect();
    };
  }, []);
  const first = Math.min(Math.max(0, Math.floor(view.top / rowHeight) - SPARE_ROWS), Math.max(0, count - 1));
  const last = Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + SPARE_ROWS);
  return { box, first, last, before: first * rowHeight, after: Math.max(0, count - last) * rowHeight };
}

/** A virtualized list of rows of equal height. */
export function VirtualList<Item>({
  items,
  rowHeight,
  maxHeight,
  label,
  isWheelOnceUsed = false,
  children,
}: {
  items: readonly Item[];
  rowHeight: number;
  /** In pixels, or a CSS length. */
  maxHeight: number | string;
  label: string;
  /** Within a form: the mouse wheel scrolls the page until something in the list is clicked or focused. */
  isWheelOnceUsed?: boolean;
  children: (item: Item, index: number) => ReactNode;
}) {
  const { box, first, last, before, after } = useVirtualRows(items.length, rowHeight);
  return (
    <ScrollBox {...{ box, maxHeight, label, isWheelOnceUsed }}>
      <div style={{ height: before }} />
      {items.slice(first, last).map((item, index) => children(item, first + index))}
      <div style={{ height: after }} />
    </ScrollBox>
  );
}

/** A box that scrolls beyond `maxHeight`. */
export function ScrollBox({
  box,
  maxHeight,
  label,
  isWheelOnceUsed = false,
  children,
}: {
  box: RefObject<HTMLDivElement | null>;
  maxHeight: number | string;
  label: string;
  isWheelOnceUsed?: boolean;
  children: ReactNode;
}) {
  return (
    <div
      ref={box}
      className={classes.box}
      data-idle={isWheelOnceUsed || undefined}
      style={{ maxHeight }}
      role="group"
      aria-label={label}
      // What scrolls has to be reachable by keyboard.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
    >
      {children}
    </div>
  );
}
