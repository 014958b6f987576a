/** As many as `emoji-grid.module.css` puts beside each other. */
export const PER_ROW = 8;

/** A choice, not all of them: whoever looks for a rare one has the keyboard of their system. */
export const EMOJI = [
  { kind: 'faces', all: listed('😀😃😄😁😅😂🤣😊🙂😉😍🥰😘😋😎🤩🥳🤗🤔😮😴😢😭😡🙄😇🤒🥺😱🤫🤭🫶') },
  { kind: 'hands', all: listed('👍👎👏🙌🙏👋🤝💪✌️👌🤞☝️👉👇👆👈✊👊🫡🤲🙋‍♀️🙋‍♂️👩‍💻👨‍👩‍👧‍👦') },
  { kind: 'hearts', all: listed('❤️🧡💛💚💙💜🖤🤍💔💕💖💯✨⭐🌟🔥💥⚡🎯✅❌❗❓⚠️') },
  { kind: 'party', all: listed('🎉🎊🎈🎁🎂🍾🥂🏆🥇🎶🎵🎤🎸🎨🎬🎟️⚽🏀🏐🎾🏃🚴🏊🧘') },
  { kind: 'food', all: listed('☕🍵🍰🧁🍪🍕🍔🌮🥗🍜🍞🧀🍎🍌🍓🍉🍇🥕🍺🍷🧃🍳🍲🍫') },
  { kind: 'nature', all: listed('🌞☀️🌤️☁️🌧️⛈️❄️🌈🌙🌍🌊🌱🌳🌸🌹🌻🍀🍂🐶🐱🐦🐝🦋🐟') },
  { kind: 'places', all: listed('🏠🏫🏥🏪⛪🕌🏖️🏕️⛰️🚗🚌🚆🚲✈️🚢🚶📍🗺️🧳⛽🚧🅿️🚪🗽') },
  { kind: 'things', all: listed('📢📣🔔🕘⏰📅🗓️📌📎📝📄📚💡🔗📱💻📷🎥🎧✉️📦🛒💰💳🔑🔒🛠️🩺💊🧹🎓🗳️') },
] as const;

function listed(all: string): string[] {
  return Array.from(new Intl.Segmenter('en').segment(all), ({ segment }) => segment);
}
