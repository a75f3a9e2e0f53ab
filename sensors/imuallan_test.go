package sensors

import (
	"math"
	"testing"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// allan returns the Allan deviation of a signal over an averaging time of n samples, from overlapping averages.
func allan(signal []float64, n int) float64 {
	sums := make([]float64, len(signal)+1)
	for i, x := range signal {
		sums[i+1] = sums[i] + x
	}
	square, count := 0.0, 0
	for i := 0; i+2*n < len(sums); i++ {
		d := (sums[i+2*n] - 2*sums[i+n] + sums[i]) / float64(n)
		square += d * d / 2
		count++
	}
	return math.Sqrt(square / float64(count))
}

// The Allan deviation of a standing MPU-6050 is that of its published noise density and bias instability:
// σ² = N²/τ + (0.664·B)². Its total noise at 100 Hz is that of the data sheet, 0.05 °/s.
func TestIMUHasThePublishedAllanDeviation(t *testing.T) {
	const rate, hours = 10, 6
	gyro := func(rate float64, n int, alone bool) (axes [3][]float64) {
		s := build(t, "imu", func(c *Config) {
			c.Prepare(func(key string) string { return map[string]string{"kind": "imu", "profile": "mpu-6050"}[key] })
			c.Rate = rate
			if alone {
				c.IMU.GyroNoise = 0
			}
		})
		for k := range uint64(n) {
			r := read[IMUReading](s, abstraction.Raw, k, at(standing()))
			for i, x := range r.GyroS {
				axes[i] = append(axes[i], x/spatial.Degree)
			}
		}
		return axes
	}
	const density, instability = 0.005, 0.0012
	check := func(what string, axes *[3][]float64, seconds int, want float64) {
		t.Helper()
		square := 0.0
		for _, a := range axes {
			square += math.Pow(allan(a, seconds*rate), 2) / 3
		}
		t.Logf("%s: Allan deviation over %d s: %.5f °/s, published %.5f", what, seconds, math.Sqrt(square), want)
		must.Near(t, what, math.Sqrt(square), want, 0.15*want)
	}
	n := 3600 * rate * hours
	if testing.Short() {
		n /= 3
	}
	both, flicker := gyro(rate, n, false), gyro(rate, n, true)
	for _, seconds := range []int{1, 3, 10, 100, 300} {
		check("gyroscope", &both, seconds, math.Hypot(density/math.Sqrt(float64(seconds)), 0.664*instability))
	}
	for _, seconds := range []int{3, 10, 100} {
		check("bias instability alone", &flicker, seconds, 0.664*instability)
	}
	total := 0.0
	fast := gyro(100, 10_000, false)
	for _, x := range fast[0] {
		total += x * x / float64(len(fast[0]))
	}
	must.Near(t, "total noise at 100 Hz", math.Sqrt(total), 0.05, 0.15*0.05)
}
