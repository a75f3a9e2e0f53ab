package abstraction

import (
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// VisionConfig is the errors of the vision that the levels without images stand in for.
//
// Errors arise in the image, as in a robot. A camera locates an object by the pixel of its reference point and the plane in which that
// point moves (the floor, or a ball radius above it): a constant error in pixels becomes an error that grows with distance, and a
// flying ball is located farther away than it is.
type VisionConfig struct {
	PixelNoise  float64       `toml:"pixel_noise_px" range:"[0, 100]" doc:"standard deviation of a located point in the image, in u and v each"`
	Errors      []VisionError `toml:"error" doc:"errors of located points beyond those, as measured on a real robot: straight lines between the entries"`
	Correlation time.Duration `toml:"correlation_ms" range:"[0, 60000]" doc:"time constant over which an object's errors change; 0 is from frame to frame"`
	MaxRange    float64       `toml:"max_range_m" range:"(0, 100]" doc:"farther objects, goal posts among them, and points of lines are not detected, at levels features and objects alike"`
	MinVisible  float64       `toml:"min_visible" range:"[0, 1]" doc:"objects of which a smaller share is visible are not detected"`
	FullVisible float64       `toml:"full_visible" range:"[0, 1]" doc:"from this share on they are detected as well as free ones; less well between"`
	CardVisible float64       `toml:"card_visible" range:"[0, 1]" doc:"a robot of which a smaller share is visible is an obstacle: its team's colour is not seen"`
	MissRate    float64       `toml:"miss_rate" range:"[0, 1]" doc:"share of visible objects missed in a frame"`
	LightStops  float64       `toml:"light_stops" range:"[0, 20]" doc:"light that is too dark or too bright by this number of stops halves the share of objects that are detected; 0 is never"`
	FalseRate   float64       `toml:"false_rate" range:"[0, 1]" doc:"probability of a detection of nothing in a frame"`
	SwapRate    float64       `toml:"swap_rate" range:"[0, 1]" doc:"probability that a robot is taken for one beside it, in a frame"`
	SwapRange   float64       `toml:"swap_range_m" range:"[0, 20]" doc:"how far apart robots are taken for each other"`

	Lines bool `toml:"lines" doc:"whether levels objects and truth report goals as a whole, lines, their crossings and the circle too, which takes an omni camera 15 times as long; posts they report always, and features reports posts, bars, lines and circle always"`

	FeaturesFromPixels bool `toml:"features_from_pixels" doc:"whether level features casts rays through the image's pixels, instead of computing in closed form what each body covers of it: for where the truth of every pixel is wanted, at a hundred times the cost"`

	VelocityNoise  float64       `toml:"velocity_noise_m_s" range:"[0, 10]" doc:"standard deviation of estimated velocities, in x and y each, without a filter"`
	VelocityFilter time.Duration `toml:"velocity_filter_ms" range:"[0, 5000]" doc:"time constant of a filter that estimates velocities from where objects were located; 0 gives the true ones with noise"`
	Delay          time.Duration `toml:"delay_ms" range:"[0, 2000]" doc:"time the vision takes, added to the sensor's latency"`
	Segmentation   time.Duration `toml:"segmentation_ms" range:"[0, 2000]" doc:"time that its segmentation takes: what level features adds to the latency"`

	SelfPosNoise  float64 `toml:"self_position_noise_m" range:"[0, 10]" doc:"standard deviation of the robot's own position, in x and y each; omni"`
	SelfAngNoise  float64 `toml:"self_heading_noise_deg" range:"[0, 180]" doc:"standard deviation of the robot's own heading; omni"`
	SelfRange     float64 `toml:"self_lines_range_m" range:"[0, 100]" doc:"how far lines are seen well enough to localise by; 0 localises without lines; omni"`
	SelfDrift     float64 `toml:"self_drift" range:"[0, 1]" doc:"error that grows while too few lines are seen, for each metre driven; omni"`
	SelfAmbiguous bool    `toml:"self_ambiguous" doc:"the field looks the same from both ends: half of the time the robot starts with itself mirrored, and after it has lost the lines; omni"`
}

// VisionError is an entry of a table of errors by distance and bearing.
type VisionError struct {
	Distance float64 `toml:"distance_m" range:"[0, 100]" doc:"from the robot"`
	Bearing  float64 `toml:"bearing_deg" range:"[0, 180]" doc:"off straight ahead, to either side"`
	Bias     float64 `toml:"bias_m" range:"[-10, 10]" doc:"mean error of the distance"`
	Range    float64 `toml:"range_m" range:"[0, 10]" doc:"standard deviation of the distance"`
	Angle    float64 `toml:"angle_deg" range:"[0, 90]" doc:"standard deviation of the bearing"`
}

// SetDefaults makes it a good robot's.
func (c *VisionConfig) SetDefaults() { *c = DefaultVision() }

// DefaultVision returns a good robot's vision.
func DefaultVision() VisionConfig {
	return VisionConfig{
		PixelNoise:    0.7,  // guess: sub-pixel centroid, segmentation error of one pixel
		VelocityNoise: 0.15, // guess: difference of positions over a few frames
		MaxRange:      8,    // guess: the ball is then about 4 px wide in a 640 px omni image
		MinVisible:    0.3,  // guess
		FullVisible:   0.6,  // guess
		CardVisible:   0.3,  // guess
		MissRate:      0.02, // guess
		LightStops:    2,    // guess: a colour table made in one light
		FalseRate:     0,
		SwapRange:     1,
		Delay:         30 * time.Millisecond, // Xiao et al. 2017: omni vision takes less than 30 ms a frame
		Segmentation:  20 * time.Millisecond, // guess: most of it
		SelfPosNoise:  0.035,                 // Xiao et al. 2017: mean localisation error below 6 cm
		SelfAngNoise:  0.6 * spatial.Degree,  // guess
		SelfRange:     5,                     // guess: a line is then about 3 px wide
		SelfDrift:     0.05,                  // guess: odometry with slip
	}
}

// Validate reports the rules that span several fields.
func (c *VisionConfig) Validate(violate func(field string, value any, rule string)) {
	if c.FullVisible < c.MinVisible {
		violate("FullVisible", c.FullVisible, "must be at least {MinVisible}")
	}
	rows := c.tableRows()
	for i, e := range c.Errors {
		field := fmt.Sprintf("Errors[%d]", i)
		first := c.Errors[i%rows]
		switch {
		case i%rows > 0 && e.Distance <= c.Errors[i-1].Distance:
			violate(field+".Distance", e.Distance, "must be more than the one before at the same bearing")
		case i >= rows && i%rows == 0 && e.Bearing <= c.Errors[i-1].Bearing:
			violate(field+".Bearing", e.Bearing, "must be more than the one before")
		case i%rows > 0 && e.Bearing != c.Errors[i-1].Bearing, i >= rows && e.Distance != first.Distance:
			violate(field+".Distance", e.Distance, "must be the same distances at every bearing, one bearing after the other")
		}
	}
	if rows > 0 && len(c.Errors)%rows != 0 {
		violate("Errors", len(c.Errors), "must be the same distances at every bearing, one bearing after the other")
	}
}

// tableRows returns the number of entries for each bearing in the table of errors.
func (c *VisionConfig) tableRows() int {
	n := 0
	for n < len(c.Errors) && c.Errors[n].Bearing == c.Errors[0].Bearing {
		n++
	}
	return n
}

// errorsAt returns the table's errors at a distance, metres, and a bearing, rad, by linear interpolation.
func (c *VisionConfig) errorsAt(distance, bearing float64) VisionError {
	if len(c.Errors) == 0 {
		return VisionError{}
	}
	rows := c.tableRows()
	bearing = math.Abs(bearing)
	along := func(first int) VisionError {
		i := first + 1
		for i < first+rows-1 && c.Errors[i].Distance < distance {
			i++
		}
		if rows == 1 {
			return c.Errors[first]
		}
		a, b := c.Errors[i-1], c.Errors[i]
		return a.mix(b, fraction(distance, a.Distance, b.Distance))
	}
	last := len(c.Errors) - rows
	upper := rows
	for upper < last && c.Errors[upper].Bearing < bearing {
		upper += rows
	}
	if last == 0 {
		return along(0)
	}
	a, b := along(upper-rows), along(upper)
	return a.mix(b, fraction(bearing, c.Errors[upper-rows].Bearing, c.Errors[upper].Bearing))
}

// fraction returns where x is from a to b, 0 to 1.
func fraction(x, a, b float64) float64 { return min(max((x-a)/(b-a), 0), 1) }

func (e VisionError) mix(o VisionError, share float64) VisionError {
	lerp := func(a, b float64) float64 { return a + (b-a)*share }
	return VisionError{Bias: lerp(e.Bias, o.Bias), Range: lerp(e.Range, o.Range), Angle: lerp(e.Angle, o.Angle)}
}

// detectionProbability returns the probability that an object is detected by its visible share and the light, both relative: 1 is all of
// it, and the light of a common hall.
func (c *VisionConfig) detectionProbability(visible, light float64) float64 {
	if visible < c.MinVisible {
		return 0
	}
	p := 1 - c.MissRate
	if visible < c.FullVisible {
		p *= (visible - c.MinVisible) / (c.FullVisible - c.MinVisible)
	}
	if c.LightStops > 0 && light > 0 && light != 1 {
		stops := math.Log2(light) / c.LightStops
		p *= math.Exp2(-stops * stops)
	}
	return p
}
