/** In pixels. The service shrinks it further. */
const LONGEST_EDGE = 640;
const PATIENCE_MS = 10_000;
/** Films often begin with black. */
const SECONDS_IN = 1;

/**
 * Draws a frame of a film. Returns a JPEG as a data URL; undefined for a film that this browser cannot decode.
 */
export async function drawStill(film: File): Promise<string | undefined> {
  const url = URL.createObjectURL(film);
  const video = document.createElement('video');
  try {
    video.muted = true;
    video.preload = 'auto';
    video.src = url;
    if (!(await happens(video, 'loadeddata'))) return undefined;
    // Of a film that was recorded in fragments the duration is not known.
    video.currentTime = Number.isFinite(video.duration) ? Math.min(SECONDS_IN, video.duration / 2) : 0;
    if (!(await happens(video, 'seeked'))) return undefined;
    return drawFrame(video);
  } finally {
    video.removeAttribute('src');
    video.load();
    URL.revokeObjectURL(url);
  }
}

function drawFrame(video: HTMLVideoElement): string | undefined {
  const { videoWidth: width, videoHeight: height } = video;
  const canvas = document.createElement('canvas');
  const scale = Math.min(1, LONGEST_EDGE / Math.max(width, height));
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d');
  if (!context || canvas.width === 0 || canvas.height === 0) return undefined;
  context.drawImage(video, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL('image/jpeg', 0.75);
}

/** False if it fails, or does not happen in time. */
function happens(video: HTMLVideoElement, event: 'loadeddata' | 'seeked'): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  video.addEventListener(event, () => resolve(true), { once: true });
  video.addEventListener('error', () => resolve(false), { once: true });
  setTimeout(() => resolve(false), PATIENCE_MS);
  return promise;
}
