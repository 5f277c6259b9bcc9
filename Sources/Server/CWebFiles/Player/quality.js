// @ts-check
/** @file The choice of a variant: by the measured throughput, the size of the video, and the viewer. */

/** @typedef {import("./hls.js").Variant} Variant */

/** The throughput that is assumed before the first measurement, in bits per second. */
const INITIAL = 2_000_000;
/** The part of the throughput that a variant may use. */
const SHARE = 0.75;
/** The weight of the newest measurement. */
const WEIGHT = 0.3;
/** The minimum size of a measurement in bytes: smaller ones measure the latency. */
const MINIMUM_BYTES = 16_384;
/** The seconds that must be buffered before a higher variant is chosen. */
const AHEAD_TO_RISE = 6;

/** The variants of a presentation, and which one to load. */
export class Quality {
    /** Bits per second. */
    throughput = INITIAL;
    /** The index that the viewer has chosen; -1 for the automatic choice. */
    chosen = -1;

    /** @param {Variant[]} variants which the browser can play */
    constructor(variants) {
        /** In the order of their bandwidth. */
        this.variants = [...variants].sort((one, other) => one.bandwidth - other.bandwidth);
    }

    /**
     * Records a loaded segment.
     *
     * @param {number} bytes
     * @param {number} milliseconds
     */
    measure(bytes, milliseconds) {
        if (bytes < MINIMUM_BYTES || milliseconds <= 0) return;
        const measured = (8000 * bytes) / milliseconds;
        // A slow network has an effect at once.
        const weight = measured < this.throughput ? 2 * WEIGHT : WEIGHT;
        this.throughput += weight * (measured - this.throughput);
    }

    /**
     * Returns the index of the variant to load next.
     *
     * @param {number} height the height of the video on the screen, in pixels; 0 if it is not known
     * @param {number} [current] the index of the current variant
     * @param {number} [ahead] the seconds that are buffered
     * @returns {number}
     */
    choose(height, current = -1, ahead = Number.POSITIVE_INFINITY) {
        if (this.chosen >= 0) return this.chosen;
        const affordable = this.variants.findLastIndex(({ bandwidth }) => bandwidth <= SHARE * this.throughput);
        // The smallest variant that fills the screen; larger ones look the same.
        const sufficient = height > 0 ? this.variants.findIndex((variant) => variant.height >= height) : -1;
        const wanted = Math.max(0, sufficient >= 0 ? Math.min(affordable, sufficient) : affordable);
        return wanted > current && current >= 0 && ahead < AHEAD_TO_RISE ? current : wanted;
    }
}
