import type { IssueParams } from '../../../platform/errors/issues.ts';

/** Something that the author of a checked campaign will want to know. It does not keep the campaign from being added. */
export interface CheckWarning {
  code: string;
  message: string;
  /** The figures and names of the message. */
  params?: IssueParams;
}
