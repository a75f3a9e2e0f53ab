package gl

/*
#cgo LDFLAGS: -lEGL
#include <stdlib.h>
#include <EGL/egl.h>
#include <EGL/eglext.h>

// display returns an initialised display of a platform, or none. Platforms: Mesa's surfaceless one, and the first
// EGL device.
static EGLDisplay display(int surfaceless) {
	PFNEGLGETPLATFORMDISPLAYEXTPROC get = (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
	if (!get) return EGL_NO_DISPLAY;
	EGLDisplay d = EGL_NO_DISPLAY;
	if (surfaceless) {
		d = get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
	} else {
		PFNEGLQUERYDEVICESEXTPROC query = (PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress("eglQueryDevicesEXT");
		EGLDeviceEXT device;
		EGLint n = 0;
		if (!query || !query(1, &device, &n) || n < 1) return EGL_NO_DISPLAY;
		d = get(EGL_PLATFORM_DEVICE_EXT, device, NULL);
	}
	if (d == EGL_NO_DISPLAY || !eglInitialize(d, NULL, NULL)) return EGL_NO_DISPLAY;
	return d;
}

// context makes an OpenGL 4.1 core context and makes it current on this thread, without a surface.
static EGLContext context(EGLDisplay d) {
	static const EGLint want[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
	static const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 1,
		EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
	EGLConfig config;
	EGLint n = 0;
	if (!eglBindAPI(EGL_OPENGL_API) || !eglChooseConfig(d, want, &config, 1, &n) || n < 1) return EGL_NO_CONTEXT;
	EGLContext c = eglCreateContext(d, config, EGL_NO_CONTEXT, version);
	if (c == EGL_NO_CONTEXT) return EGL_NO_CONTEXT;
	if (!eglMakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, c)) {
		eglDestroyContext(d, c);
		return EGL_NO_CONTEXT;
	}
	return c;
}

static void destroy(EGLDisplay d, EGLContext c) {
	eglMakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
	eglDestroyContext(d, c);
	eglReleaseThread();
}

static void *address(char *name) { return (void *)eglGetProcAddress(name); }
*/
import "C"

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/go-gl/gl/v4.1-core/gl"

	"github.com/omnipitch/omnipitch/render"
)

// context is an OpenGL context that is current on the thread that made it.
type context struct {
	display C.EGLDisplay
	handle  C.EGLContext
}

// functions guards go-gl's table of function pointers, which is global.
var functions struct {
	sync.Mutex
	loaded bool
}

// newContext makes a context current on the calling thread, which must be locked.
func newContext() (*context, error) {
	for _, surfaceless := range []C.int{1, 0} {
		// Displays are shared by the whole process and stay initialised.
		d := C.display(surfaceless)
		if d == noDisplay {
			continue
		}
		h := C.context(d)
		if h == nil {
			continue
		}
		c := &context{display: d, handle: h}
		if err := loadFunctions(); err != nil {
			c.destroy()
			return nil, fmt.Errorf("render/gl: %w: the driver lacks a function of OpenGL 4.1: %v", render.ErrNoContext, err)
		}
		return c, nil
	}
	return nil, fmt.Errorf("render/gl: %w: EGL offers no OpenGL 4.1 core without a display; on Debian install libegl1 and libgl1-mesa-dri, or draw without by casting rays (--renderer raycast)", render.ErrNoContext)
}

// noDisplay is EGL_NO_DISPLAY: cgo sees an EGLDisplay as an integer.
const noDisplay = 0

func (c *context) destroy() { C.destroy(c.display, c.handle) }

func loadFunctions() error {
	functions.Lock()
	defer functions.Unlock()
	if functions.loaded {
		return nil
	}
	err := gl.InitWithProcAddrFunc(func(name string) unsafe.Pointer {
		s := C.CString(name)
		defer C.free(unsafe.Pointer(s))
		return C.address(s)
	})
	functions.loaded = err == nil
	return err
}
