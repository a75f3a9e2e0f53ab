// Package chip applies the faults of lens and image sensor to rendered images (render.Chip), and turns true distances
// into those that a device measures (render.Ranging). It contains no C code. Package render/internal/tile does the same
// with vector instructions; tests check that both give the same bytes.
//
// Light is linear: 0 is black and 1 is white. Light above 1 is kept where the image records it (render.Image.Above).
// These steps are applied in order:
//
//   - Dirt absorbs a fraction of the light.
//   - Glare: the lens scatters a fraction of the light over the image (Glare).
//   - Columns of a CCD: charge beyond the full well spills, and bright light smears (ColumnNumbers).
//   - Lateral chromatic aberration: red is magnified and blue shrunk about the centre of the image, by the given number
//     of pixels in the corners, with bilinear interpolation. Pixels beyond the border repeat the border.
//   - Flicker: each row gets the light that the lamps emitted during its exposure (render.Rows).
//   - The sensor, by the linear camera model of EMVA 1288. A pixel that collects e electrons on average (its light
//     times exposure times full well) reads e + z·√(e + σ²) electrons, with the read noise σ and a standard normal
//     random number z. The reading is clipped at the full well, amplified by the gain and its colour's balance, and
//     clipped to 0 to 1.
//   - Fixed pattern noise, for each colour separately (FixedNumbers): e is multiplied by 1 + a normal random number
//     times the PRNU. Normal random numbers times the DSNU and the row's and column's patterns are added to the
//     reading. Hot pixels collect additional dark signal. These numbers are functions of the sensor's key and the
//     pixel.
//   - The mosaic: each pixel keeps one of its three readings, RGGB from the first pixel on. Its other two colours are
//     the means of the nearest readings of those colours; the image is mirrored at its border.
//   - sRGB encoding, rounded to 8 bits, which adds quantisation.
//   - Processing in the camera (Process): noise reduction, contrast, sharpening and JPEG.
//
// z is a function of the image's key, the pixel and the colour alone.
//
// Distances are measured along the axis, in metres. Where a nearer object blocks the projector's light, the distance is
// 0. An outline is a jump between the distances of neighbours. Near an outline, a pixel shows the distance of another
// pixel, displaced by the lateral noise. At the outline itself it may mix both sides or measure nothing. Axial noise is
// then added: a normal random number times the standard deviation for a surface at that distance and slant. The slant
// is computed from the neighbours to the left and above. Near outlines and in the first row and column it is unknown,
// and the surface is assumed to face the device. Where too little light returns, the distance is 0: the light is the
// surface's reflectance times the cosine of the angle of incidence, divided by the square of the range. The result is
// rounded to whole millimetres, or to whole steps of the disparity first. A true distance out of range gives 0. The
// random numbers are functions of the image's key and the pixel, and independent of the random numbers of the colour
// image.
//
// All arithmetic is float32 without fused multiply-add, so that all machines give the same bytes.
//
//	var p chip.Processor
//	p.Apply(im, &render.Chip{FullWell: 10_000, ReadNoise: 12, Exposure: 1, Gain: 1,
//		Balance: [3]float64{1, 1, 1}}, key)
package chip
