import { AppError } from '../../platform/errors/errors.ts';

export function noSuchDraft(): AppError {
  return new AppError('draft_not_found', 'No such draft', {
    details: [{ field: 'draft_id', issue: 'is not one of your drafts' }],
  });
}
