import type { ReactNode } from 'react';
import classes from './filters.module.css';
import { SearchField } from './search-field.tsx';

/** A search field and further filters (`children`). */
export function Filters({
  label,
  typed,
  onType,
  size,
  children,
}: {
  label: string;
  typed: string;
  onType: (text: string) => void;
  size?: 'sm';
  children: ReactNode;
}) {
  return (
    <div className={classes.filters}>
      <SearchField label={label} value={typed} onSearch={onType} className={classes.search} {...(size && { size })} />
      {children}
    </div>
  );
}
