import type { Message } from '../client/message.ts';
import type { FileToUpload, UploadAnswer } from './upload-file.ts';

/** A file that is converted and encrypted for WhatsApp. */
export interface PreparedFile {
  file: FileToUpload;
  /** The message without a caption, for the uploaded file. */
  describe(answer: UploadAnswer): Message;
}
