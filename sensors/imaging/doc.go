// Package imaging is what makes images of a device differ from drawn ones: its lens and mirror, its shutter and
// aperture, its chip and the faults of its depth measurement. It draws nothing: whoever does draws the Samples of an
// Exposure, which are combined, and applies the chip to the result. Lengths are metres, angles radians, unless a name
// says pixels.
package imaging
