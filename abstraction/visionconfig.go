package abstraction

import (
	"time"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// VisionConfig configures the errors of the vision that the levels without images replace.
//
// Errors arise in the image, as in a robot. A camera locates an object by the pixel of its reference point and the
// plane in which that point moves (the floor, or a ball radius above it). So a constant error in pixels becomes an
// error that grows with distance, and a flying ball is located farther away than it is.
type VisionConfig struct {
	ErrorModel
	Obstacles *ErrorModel `toml:"obstacles" doc:"errors for robots and obstacles, if they differ from those for other objects"`

	PixelNoise  float64 `toml:"pixel_noise_px" range:"[0, 100]" doc:"standard deviation of a located point in the image, in u and v each"`
	MaxRange    float64 `toml:"max_range_m" range:"(0, 100]" doc:"range of detection of objects, goal posts and points of lines, at levels features and objects"`
	CardVisible float64 `toml:"card_visible" range:"[0, 1]" doc:"a robot with a smaller visible share is reported as an obstacle, because its team's colour is not visible"`
	SwapRate    float64 `toml:"swap_rate" range:"[0, 1]" doc:"probability of confusing a robot with a neighbour in a frame"`
	SwapRange   float64 `toml:"swap_range_m" range:"[0, 20]" doc:"largest distance between robots that are confused"`

	Lines bool `toml:"lines" doc:"whether levels objects and truth also report whole goals, lines, crossings and the circle, which takes an omni camera 15 times as long; goal posts are always reported, and level features always reports posts, bars, lines and the circle"`

	FeaturesFromPixels bool `toml:"features_from_pixels" doc:"whether level features casts rays through the pixels of the image instead of computing in closed form what each body covers: exact for every pixel, at a hundred times the cost"`

	VelocityNoise  float64       `toml:"velocity_noise_m_s" range:"[0, 10]" doc:"standard deviation of estimated velocities without a filter, in x and y each"`
	VelocityFilter time.Duration `toml:"velocity_filter_ms" range:"[0, 5000]" doc:"time constant of a filter that estimates velocities from located positions; 0 reports true velocities with noise"`
	Delay          time.Duration `toml:"delay_ms" range:"[0, 2000]" doc:"processing time of vision, added to the sensor's latency"`
	Segmentation   time.Duration `toml:"segmentation_ms" range:"[0, 2000]" doc:"processing time of segmentation, added to the latency at level features"`

	SelfPosNoise  float64 `toml:"self_position_noise_m" range:"[0, 10]" doc:"standard deviation of the robot's own position, in x and y each; omni"`
	SelfAngNoise  float64 `toml:"self_heading_noise_deg" range:"[0, 180]" doc:"standard deviation of the robot's own heading; omni"`
	SelfRange     float64 `toml:"self_lines_range_m" range:"[0, 100]" doc:"range within which lines serve for localisation; 0 localises without lines; omni"`
	SelfDrift     float64 `toml:"self_drift" range:"[0, 1]" doc:"error per metre driven while too few lines are visible; omni"`
	SelfAmbiguous bool    `toml:"self_ambiguous" doc:"the field is symmetric: with probability 1/2 the robot starts mirrored, and again each time it has lost the lines; omni"`
}

// SetDefaults sets the errors of the vision of a good robot.
func (c *VisionConfig) SetDefaults() { *c = DefaultVision() }

// DefaultVision returns the errors of the vision of a good robot.
func DefaultVision() VisionConfig {
	c := VisionConfig{
		PixelNoise:    0.7,  // guess: sub-pixel centroid, segmentation error of one pixel
		VelocityNoise: 0.15, // guess: difference of positions over a few frames
		MaxRange:      8,    // guess: the ball is then about 4 px wide in a 640 px omni image
		CardVisible:   0.3,  // guess
		SwapRange:     1,
		Delay:         30 * time.Millisecond, // Xiao et al. 2017: omni vision takes less than 30 ms a frame
		Segmentation:  20 * time.Millisecond, // guess: most of Delay
		SelfPosNoise:  0.035,                 // Xiao et al. 2017: mean localisation error below 6 cm
		SelfAngNoise:  0.6 * spatial.Degree,  // guess
		SelfRange:     5,                     // guess: there a line is about 3 px wide
		SelfDrift:     0.05,                  // guess: odometry with slip
	}
	c.ErrorModel.SetDefaults()
	return c
}

// Validate reports violations of rules that involve several fields.
func (c *VisionConfig) Validate(violate func(field string, value any, rule string)) {
	c.validate("", violate)
	if c.Obstacles != nil {
		c.Obstacles.validate("Obstacles.", violate)
	}
}
