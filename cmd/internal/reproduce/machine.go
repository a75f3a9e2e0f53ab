package reproduce

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"strconv"
	"syscall"
	"time"
)

// busy is the share of the processors, used by other programs, above which measured wall times are worse.
const busy = 0.05

// usage is the use of the machine's processors since it was started.
type usage struct {
	total, working time.Duration // of all processors together
	own            time.Duration // part of working by this process and by processes that it has waited for
}

// clockTick is the unit of times in /proc, on all architectures of Linux.
const clockTick = 10 * time.Millisecond

// machineUsage reads the use of the processors. It returns a zero total where the system does not have /proc/stat.
func machineUsage() (u usage) {
	text, _ := os.ReadFile("/proc/stat")
	line, _, _ := bytes.Cut(text, []byte("\n"))
	fields := bytes.Fields(line)
	for i := 1; i < len(fields) && i <= 8; i++ { // user, nice, system, idle, iowait, irq, softirq, steal: proc(5)
		ticks, err := strconv.ParseInt(string(fields[i]), 10, 64)
		if err != nil {
			return usage{}
		}
		u.total += time.Duration(ticks) * clockTick
		if i != 4 && i != 5 {
			u.working += time.Duration(ticks) * clockTick
		}
	}
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var r syscall.Rusage
		if syscall.Getrusage(who, &r) == nil {
			u.own += time.Duration(r.Utime.Nano() + r.Stime.Nano())
		}
	}
	return u
}

// othersSince returns the share of all processors, 0 to 1, that other programs have used since an earlier reading; NaN
// if unknown.
func othersSince(earlier usage) float64 {
	u := machineUsage()
	total := u.total - earlier.total
	if total <= 0 {
		return math.NaN()
	}
	return math.Max(0, float64(u.working-earlier.working-(u.own-earlier.own))/float64(total))
}

// waitIdle waits, for at most 20 s, until other programs leave the processors alone for a second. After that time it
// returns an error.
func waitIdle(ctx context.Context) error {
	var others float64
	for range 20 {
		from := machineUsage()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
		if others = othersSince(from); others <= busy {
			return nil
		}
	}
	return tooBusy(others)
}

func tooBusy(others float64) error {
	return fmt.Errorf("--idle: other programs use %.0f %% of the processors: must be at most %.0f %%", 100*others,
		100*busy)
}

// addOthers adds the share of the processors that other programs have used since an earlier reading.
func (t *Trial) addOthers(earlier usage) {
	t.Add(Aside("processors that other programs used meanwhile", 100*othersSince(earlier), "%"))
}

// disturbed returns a clause on other programs that disturbed a measurement, or "". others is their share of the
// processors.
func disturbed(others float64) string {
	if !(others > busy) {
		return ""
	}
	return fmt.Sprintf("other programs used %.0f %% of the processors", 100*others)
}
