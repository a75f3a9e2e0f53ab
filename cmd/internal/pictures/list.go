package main

import (
	"image"

	"github.com/omnipitch/omnipitch/sensors"
)

// picture describes one picture of docs/cameras.md.
type picture struct {
	name  string
	kind  string // kind of the sensor; empty means camera
	look  string // look of the world; empty means natural
	keys  string // of the sensor
	after string // text after the sensor
	crowd bool   // with spectators
	busy  bool   // in a busy hall
	mount string // mount of the sensor; empty means the default
	ideal bool   // without faults
	turn  float64
	part  image.Rectangle // part shown at full resolution; empty means the whole image, reduced
	show  func(*sensors.Observation) image.Image

	samples int // samples of the path tracer; 0 means that it is not used
}

func (p *picture) base() string {
	switch {
	case p.crowd:
		return "spectators"
	case p.busy:
		return "busy-hall"
	}
	return "nubot-attack"
}

// near is the part of the image with the ball and an obstacle.
var near = image.Rect(130, 40, 450, 280)

// touchline is the part of a mirror's image with a touchline.
var touchline = image.Rect(160, 50, 480, 210)

// These images are rendered at the size in which they are shown, because path tracing is slow.
const (
	small     = `image = { width_px = 320, height_px = 240, fov_deg = 90 }`
	narrow    = `image = { width_px = 240, height_px = 160, fov_deg = 17 }`
	smallDisc = `image = { width_px = 320, height_px = 320 }`
)

// skywards is a mount from which lamps and windows are visible.
const skywards = "{ x_m = 0.26, z_m = 0.5, pitch_deg = -12 }"

// goalwards is a mount from which a goal is visible.
const goalwards = "{ x_m = 0.26, z_m = 0.5, yaw_deg = -11 }"

// worn is the floor of the world worn-hall.
const worn = `[hall]
carpet_wear = 0.5
carpet_roll_m = 2
carpet_seams = 0.7
line_wear = 0.7
`

// row is a row of robots of the shipped looks.
const row = `[[robot]]
for_each = [
  { n = 2, look = "tower", x = 2.10, y = 1.64 },
  { n = 3, look = "cone", x = 2.27, y = 1.00 },
  { n = 4, look = "mast", x = 2.44, y = 0.36 },
  { n = 5, look = "rack", x = 2.61, y = -0.28 },
  { n = 6, look = "panels", x = 2.78, y = -0.91 },
  { n = 7, look = "bell", x = 2.96, y = -1.55 },
]
name = "cyan{n}"
model = "nubot"
skin = { look = "{look}" }
pose = { x_m = "{x}", y_m = "{y}", heading_deg = 180 }
`

// Flickering lamps.
const (
	flickering = `[light]
flicker = { depth = 0.6 }
`
	coloredFlickering = `[light]
lamp_temperature_k = 3000
ambient_temperature_k = 9000
flicker = { depth = 1, waveform = "rectified" }
`
)

func pictures() []picture {
	return []picture{
		{name: "lens-plain", ideal: true},
		{name: "lens-brown-conrady", ideal: true, keys: `image = { fov_deg = 80 }
lens = { model = "brown-conrady", k = [-0.28, 0.09], p = [0.001, -0.0005] }`},
		{name: "lens-fisheye", ideal: true, keys: `image = { fov_deg = 185 }
lens = { model = "fisheye", k = [-0.02, 0.006, -0.004, 0.0006] }`},
		{name: "lens-unified", ideal: true, keys: `image = { fov_deg = 160 }
lens = { model = "unified", xi = 1.3, k = [-0.05, 0.01] }`},
		{name: "lens-ocamcalib", ideal: true,
			keys: `lens = { model = "ocamcalib", poly = [-230, 0, 0.0012, -5e-7, 2e-9], c = 1.001, d = 0.002 }`},

		{name: "mirror-hyperbolic", ideal: true, kind: "omni"},
		{name: "mirror-parabolic", ideal: true, kind: "omni",
			keys: `mirror = { profile = "parabolic", radius_m = 0.06, distance_m = 0.06, rim_radius_m = 0.05 }`},
		{name: "mirror-spherical", ideal: true, kind: "omni",
			keys: `mirror = { profile = "spherical", radius_m = 0.08, distance_m = 0.06, rim_radius_m = 0.05 }`},
		{name: "mirror-ground", ideal: true, kind: "omni",
			keys: `mirror = { profile = "ground", a_m = 1.57, b_rad_px = 0.0052, distance_m = 0.08, rim_radius_m = 0.06 }`},
		{name: "mirror-isometric", ideal: true, kind: "omni",
			keys: `mirror = { profile = "isometric", scale_m_px = 0.02, distance_m = 0.07, rim_radius_m = 0.055, method = "raycast" }`},
		{name: "mirror-table", ideal: true, kind: "omni", keys: `[robot.sensor.mirror]
profile = "table"
method = "raycast"
distance_m = 0.07
rim_radius_m = 0.046
r_m = [0, 0.01, 0.02, 0.03, 0.035, 0.04, 0.043, 0.046]
z_m = [0, 0.00062, 0.0025, 0.00572, 0.00787, 0.01042, 0.01215, 0.01405]`},
		{name: "mirror-direct", ideal: true, kind: "omni", part: touchline},
		{name: "mirror-cube", ideal: true, kind: "omni", part: touchline, keys: `mirror = { method = "cube" }`},
		{name: "mirror-cube-256", ideal: true, kind: "omni", part: touchline,
			keys: `mirror = { method = "cube", face_px = 256 }`},

		{name: "light-common", ideal: true},
		{name: "light-evening", ideal: true, after: "[light]\nlamp_temperature_k = 3000\nlamp_elevation_deg = " +
			"35\nambient = 0.6\n"},
		{name: "light-colors", ideal: true, after: "[ball]\ncolor = \"#e05a18\"\n[hall]\ncarpet_color = \"#3a5590\"\n"},
		{name: "light-spectators", ideal: true, crowd: true},

		{name: "looks", ideal: true, mount: "{ x_m = 0.24, z_m = 0.6, pitch_deg = 6 }",
			keys: `image = { width_px = 960, height_px = 300, fov_deg = 94 }`, part: image.Rect(0, 0, 960, 300), after: row},
		{name: "busy-front", ideal: true, busy: true, mount: "{ x_m = 0.26, z_m = 0.6, pitch_deg = 3, yaw_deg = 31 }",
			keys: `image = { width_px = 960, height_px = 640, fov_deg = 84 }`},
		{name: "busy-omni", ideal: true, busy: true, kind: "omni"},
		{name: "busy-labels", busy: true, mount: "{ x_m = 0.26, z_m = 0.6, pitch_deg = 3, yaw_deg = 31 }",
			keys: "ground_truth = true\nimage = { width_px = 960, height_px = 640, fov_deg = 84 }", show: labels},

		{name: "net-plain", look: "plain", ideal: true, mount: goalwards, keys: narrow},
		{name: "net-natural", ideal: true, mount: goalwards, keys: narrow},
		{name: "net-reference", ideal: true, mount: goalwards, keys: narrow, samples: 64},
		{name: "net-color", ideal: true, mount: goalwards, keys: narrow, after: "[hall]\nnet_color = \"#202020\"\n"},

		{name: "plain-front", ideal: true, keys: small, look: "plain"},
		{name: "natural-front", ideal: true, keys: small},
		{name: "reference-front", ideal: true, keys: small, samples: 64},
		{name: "plain-omni", ideal: true, kind: "omni", keys: smallDisc, look: "plain"},
		{name: "natural-omni", ideal: true, kind: "omni", keys: smallDisc},
		{name: "reference-omni", ideal: true, kind: "omni", keys: smallDisc, samples: 64},

		{name: "worn-front", ideal: true, keys: small, after: worn},
		{name: "worn-reference", ideal: true, keys: small, samples: 64, after: worn},
		{name: "worn-omni", ideal: true, kind: "omni", keys: smallDisc, after: worn},

		{name: "fault-none", ideal: true, part: near},
		{name: "fault-focus", part: near,
			keys: `focus = { distance_m = 0.5, focal_length_mm = 8, f_number = 1.4, samples = 64 }`},
		{name: "fault-motion-blur", part: near, turn: 1.5, keys: `shutter = { exposure_ms = 20, samples = 32 }`},
		{name: "fault-rolling-shutter", part: near, turn: 3,
			keys: `shutter = { exposure_ms = 1, readout_ms = 100, samples = 64 }`},
		{name: "flicker-bands", keys: "shutter = { exposure_ms = 2, readout_ms = 30, samples = 1 }", after: flickering},
		{name: "flicker-steady", keys: "shutter = { exposure_ms = 10, readout_ms = 30, samples = 1 }",
			after: flickering},
		{name: "flicker-colored", keys: "shutter = { exposure_ms = 2, readout_ms = 30, samples = 1 }",
			after: coloredFlickering},
		{name: "fault-exposure", part: near, keys: `imager = { exposure = 3 }`},
		{name: "fault-gain", part: near, keys: `imager = { exposure = 0.15, gain = 6 }`},
		{name: "fault-white-balance", part: near, keys: `imager = { white_balance_k = 9000 }`},
		{name: "fault-vignetting", keys: `image = { fov_deg = 100 }
imager = { vignetting = 1 }`},
		{name: "fault-chromatic", part: near, keys: `imager = { chromatic_px = 8 }`},
		{name: "fault-bayer", part: near, keys: `imager = { bayer = true, full_well_e = 4000 }`},
		{name: "fault-noise", part: near, keys: `imager = { full_well_e = 400, read_noise_e = 12 }`},
		{name: "fault-glare", part: near, keys: `imager = { glare = 0.2 }`},
		{name: "glare-none", mount: skywards, keys: small},
		{name: "glare-lamps", mount: skywards, keys: small + "\nimager = { glare = 0.1 }"},
		{name: "blooming", mount: skywards, keys: small + "\nimager = { blooming = 0.2 }"},
		{name: "smear", mount: skywards, keys: small + "\nimager = { smear_percent = 0.5 }"},
		{name: "fault-fixed-pattern", part: near,
			keys: `imager = { bayer = true, exposure = 0.2, gain = 5, dsnu_e = 60, prnu_percent = 4, row_pattern_e = 20, column_pattern_e = 60 }`},
		{name: "fault-hot-pixels", part: near, keys: `imager = { bayer = true, hot_pixels_ppm = 3000, chip_temperature_c = 50 }
shutter = { exposure_ms = 20 }`},
		{name: "fault-sharpening", part: near, keys: `imager = { sharpening = 3 }`},
		{name: "fault-jpeg", part: near, keys: `imager = { jpeg_quality = 15 }`},
		{name: "fault-dust", keys: `imager = { dust = 60 }`},
		{name: "fault-scratches", kind: "omni", keys: `imager = { scratches = 25, dust = 20 }`},

		{name: "depth-ideal", kind: "kinect", ideal: true, show: depths},
		{name: "depth-kinect-v2", kind: "kinect", show: depths},
		{name: "depth-kinect-v1", kind: "kinect", keys: `profile = "kinect-v1"`, show: depths},

		{name: "stereo-left", kind: "stereo"},
		{name: "stereo-depth", kind: "stereo", show: depths},

		{name: "truth-labels", keys: `ground_truth = true`, show: labels},
		{name: "truth-range", keys: `ground_truth = true`, show: ranges},
		{name: "truth-normals", keys: `ground_truth = true`, show: normals},
		{name: "truth-flow", turn: 1, keys: `ground_truth = true`, show: flow},
	}
}
