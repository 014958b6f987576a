import { z } from 'zod';

/** How a string is written, for clients that write it otherwise (contract §2). A field has the form of the schema that it is made from. */
export const forms = z.registry<{ form: Form }>();

export type Form = 'date' | 'time' | 'minutes' | 'phone';
