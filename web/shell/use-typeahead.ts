import { useEffect, useState } from 'react';

/** Typeahead: collects the typed text of a dialog that is opening, before its input exists. */
export function useTypeahead(isOpen: boolean): [string, (text: string) => void] {
  const [typed, type] = useState('');
  const [wasOpen, setOpen] = useState(isOpen);
  if (isOpen !== wasOpen) {
    setOpen(isOpen);
    type('');
  }
  useEffect(() => {
    if (!isOpen) return undefined;
    const take = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      if (key.length > 1 || ctrlKey || metaKey || altKey) return;
      if (target instanceof Element && target.closest('[role=dialog]')) return;
      event.preventDefault();
      event.stopPropagation();
      type((text) => text + key);
    };
    addEventListener('keydown', take, { capture: true });
    return () => removeEventListener('keydown', take, { capture: true });
  }, [isOpen]);
  return [typed, type];
}
