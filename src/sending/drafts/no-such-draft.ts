import { AppError } from '../../platform/errors/errors.ts';

export function noSuchDraft(): AppError {
  return new AppError('draft_not_found', 'You have no draft with this id', {
    details: [{ field: 'draft_id', issue: 'is not the id of one of your drafts' }],
  });
}
