package gl

import (
	"fmt"
	"strings"
	"sync"

	"github.com/go-gl/gl/v4.1-core/gl"
)

// GraphicsCard reports whether OpenGL uses a graphics card on this machine, and describes the device that OpenGL uses.
// It finds out once, which takes a few milliseconds if EGL lists no card. It never fails.
func GraphicsCard() (ok bool, says string) {
	found := findCard()
	return found.ok, found.says
}

// Driver returns the name of the device that OpenGL uses, and the version of OpenGL with that of the driver. Both are
// empty if EGL lists no graphics card, and without an OpenGL driver.
func Driver() (name, version string) {
	found := findCard()
	return found.name, found.version
}

type card struct {
	ok            bool
	says          string
	name, version string
}

var findCard = sync.OnceValue(func() card {
	if cards, _, ok := devices(); ok && len(cards) == 0 {
		return card{says: "EGL lists no graphics card"}
	}
	thread, err := newThread()
	if err != nil {
		return card{says: "there is no OpenGL driver"}
	}
	defer thread.stop()
	var c card
	thread.do(func() error {
		c.name, c.version = gl.GoStr(gl.GetString(gl.RENDERER)), gl.GoStr(gl.GetString(gl.VERSION))
		return nil
	})
	if c.ok = !isSoftware(c.name); c.ok {
		c.says = fmt.Sprintf("OpenGL draws on a graphics card (%s)", c.name)
	} else {
		c.says = fmt.Sprintf("OpenGL is software (%s)", c.name)
	}
	return c
})

// isSoftware reports whether a driver draws on the CPU, given its GL_RENDERER name. A driver's name may contain the
// name of another driver on which it is based: "zink Vulkan 1.3 (llvmpipe …)".
func isSoftware(driver string) bool {
	driver = strings.ToLower(driver)
	for _, name := range []string{"llvmpipe", "softpipe", "swrast", "software", "swiftshader",
		"microsoft basic render"} {
		if strings.Contains(driver, name) {
			return true
		}
	}
	return driver == ""
}
