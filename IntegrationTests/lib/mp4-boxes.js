/** @file Makes boxes of MP4 files (ISO/IEC 14496-12) for the tests of the player module. */

export const utf8 = (text) => new TextEncoder().encode(text);
export const join = (...parts) => Uint8Array.from(parts.flatMap((part) => [...part]));
export const number = (value) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
export const box = (type, ...content) => {
    const body = join(...content);
    return join(number(body.length + 8), utf8(type), body);
};
