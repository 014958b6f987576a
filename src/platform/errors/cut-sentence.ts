/** Foreign input that a sentence quotes can have megabytes. */
const LONGEST_SENTENCE = 500;

/** Returns a sentence, or its beginning. */
export function cutSentence(sentence: string): string {
  return sentence.length > LONGEST_SENTENCE ? `${sentence.slice(0, LONGEST_SENTENCE).toWellFormed()}...` : sentence;
}
