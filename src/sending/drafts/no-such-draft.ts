import { AppError } from '../../platform/errors/errors.ts';
import { fieldError } from '../../platform/errors/issues.ts';

export function noSuchDraft(): AppError {
  return new AppError('draft_not_found', 'You have no draft with this id', {
    details: [fieldError('draft_id', 'unknown_id', { of: 'drafts' })],
  });
}
