// Package chip gives drawn images the faults of the lens and the chip that they are taken with (render.Chip), and makes
// true distances those that a device measures (render.Ranging). It has no C; package render/internal/tile does the same with
// vector instructions, byte for byte, and is held to this package by tests.
//
// Light is linear, from 0 to 1, where an image shows white, and more where it keeps what is above that
// (render.Image.Above). It meets, in this order:
//
//   - dirt, which keeps off a share of it;
//   - glare, a share that the lens scatters over the image (Glare);
//   - the columns of a CCD, in which charge beyond the full well spills, and which smear bright light (ColumnNumbers);
//   - lateral chromatic aberration: red is magnified and blue shrunk, about the middle of the image, by so many pixels in the corners, with
//     bilinear interpolation; beyond the border the light goes on as at the border;
//   - lamps that flicker: a row gets more or less of their light, as they have given more or less while it was exposed (render.Rows);
//   - the chip, by the linear camera model of EMVA 1288: a pixel that collects e electrons on average, its light times exposure times full
//     well, reads e + z·√(e + σ²) electrons, with σ the read noise and z a standard normal number; it is clipped at the full well,
//     amplified by the gain and by its colour's balance, and clipped again to 0 to 1;
//   - its pixels differ for good, each colour in its own way (FixedNumbers): e is multiplied by 1 + a normal number times the PRNU, normal numbers times
//     the DSNU and the patterns of its row and column are added to what is read, and hot pixels collect dark signal besides; these numbers are functions of
//     the chip's key and the pixel;
//   - the mosaic: of each pixel's three readings there is one, RGGB from the first pixel on, and the others are the means of the nearest
//     readings of their colour, the image being mirrored at its border;
//   - the encoding as sRGB, rounded to 8 bits, which adds the quantisation;
//   - what the camera makes of its image (Process): sharpening, and JPEG.
//
// z is a function of the image's key, the pixel and the colour alone.
//
// Distances lie along the axis, in metres. What the projector's light does not reach, as something nearer hides it, is
// 0. An outline is where distances of neighbours jump; within reach of one, a pixel shows the distance of another one,
// displaced by the lateral noise, and at the outline itself it may mix the two sides or measure nothing. To this the
// axial noise is added: a normal number times the standard deviation of a surface at that distance, slanted as its
// neighbours to the left and above say, or facing the device near outlines and in the first row and column, where that
// is not known. The result is rounded to whole millimetres, or before that to whole steps of the disparity. What is
// truly out of range is 0. Random numbers are functions of the image's key and the pixel, others than those of its
// colours.
//
// All arithmetic is in float32 without fused multiplication and addition, so that it gives the same bytes on all
// machines.
//
//	var p chip.Processor
//	p.Apply(im, &render.Chip{FullWell: 10_000, ReadNoise: 12, Exposure: 1, Gain: 1, Balance: [3]float64{1, 1, 1}}, key)
package chip
