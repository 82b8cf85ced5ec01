/* A plugin for QEMU's user emulation: it counts executed instructions. Each call of getppid() writes the count to
 * stderr, and so a program marks where a measured part begins and ends. The declarations are those of QEMU 7.2's
 * qemu-plugin.h, which Debian does not package. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#define VISIBLE __attribute__((visibility("default")))
#define GETPPID_ARM64 173

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
typedef void (*translated)(plugin_id, struct qemu_plugin_tb *);
typedef void (*system_call)(plugin_id, unsigned, int64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                            uint64_t, uint64_t);
extern void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, translated);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
extern void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, enum qemu_plugin_op, void *, uint64_t);
extern void qemu_plugin_register_vcpu_syscall_cb(plugin_id, system_call);

VISIBLE int qemu_plugin_version = 1;
static uint64_t count;

static void on_translated(plugin_id id, struct qemu_plugin_tb *block) {
    qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64, &count, qemu_plugin_tb_n_insns(block));
}

static void on_system_call(plugin_id id, unsigned cpu, int64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                           uint64_t e, uint64_t f, uint64_t g, uint64_t h) {
    if (number == GETPPID_ARM64)
        fprintf(stderr, "count %" PRIu64 "\n", count);
}

VISIBLE int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv) {
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translated);
    qemu_plugin_register_vcpu_syscall_cb(id, on_system_call);
    return 0;
}
