// Package imaging is what makes images of a device differ from drawn ones: its lens and mirror, its shutter and aperture, the faults of
// its chip and of its depth measurement. It draws nothing: whoever does draws the Samples of an Exposure, which are combined, and the
// faults are added to the result. Lengths are metres, angles radians, unless a name says pixels.
package imaging
