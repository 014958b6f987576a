/** The number of columns in `emoji-grid.module.css`. */
export const PER_ROW = 8;

/** A selection; for rare ones there is the system's emoji keyboard. */
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
