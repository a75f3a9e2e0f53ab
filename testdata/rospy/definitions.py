"""Classes of messages and services that Debian does not package, made by genpy at run time from folders of definitions."""
import os

import genmsg
import genmsg.gentools
import genmsg.msg_loader
import genpy.dynamic
import std_msgs.msg  # noqa: F401, a dependency of nearly everything


class Definitions:
    """Looks types up in folders of PACKAGE/NAME.msg and .srv; later folders win."""

    def __init__(self, *folders):
        self.search = {}
        for folder in folders:
            for package in os.listdir(folder):
                self.search.setdefault(package, []).insert(0, os.path.join(folder, package))

    def load(self, name, load, md5):
        context = genmsg.MsgContext.create_default()
        spec = load(context, name, self.search)
        genmsg.msg_loader.load_depends(context, spec, self.search)
        got = genmsg.gentools.compute_md5(context, spec)
        if md5 and got != md5:
            raise ValueError('%s: md5 %s, want %s' % (name, got, md5))
        return context, spec, got

    def message(self, name, md5=None):
        context, spec, got = self.load(name, genmsg.msg_loader.load_msg_by_type, md5)
        cls = self.dynamic(context, spec, name)
        assert cls._md5sum == got
        return cls

    @staticmethod
    def dynamic(context, spec, name):
        return genpy.dynamic.generate_dynamic(name, genmsg.gentools.compute_full_text(context, spec))[name]

    def service(self, name, md5=None):
        context, spec, got = self.load(name, genmsg.msg_loader.load_srv_by_type, md5)
        classes = {'_type': name, '_md5sum': got}
        for part in ('request', 'response'):
            half = getattr(spec, part)
            genmsg.msg_loader.load_depends(context, half, self.search)
            classes['_%s_class' % part] = self.dynamic(context, half, half.full_name)
        return type(name.split('/')[1], (), classes)
