// Package imaging models how a device's images differ from rendered ones: its lens and mirror, its shutter and
// aperture, its chip, and the faults of its depth measurement. It renders nothing: the renderer renders the Samples of
// an Exposure, Combine averages them, and the chip is applied to the result. Lengths are metres and angles radians,
// unless a name says pixels.
package imaging
